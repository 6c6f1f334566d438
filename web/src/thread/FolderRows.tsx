/** The entries of a folder, of which only those in view are in the page. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { Download, File, FileQuestionMark, FileSymlink, Folder } from "lucide-react";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { fileContent, folderArchive } from "../api/berth.ts";
import type { FolderEntry } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { useNow } from "../ui/clock.ts";
import { bytes, moment, visible } from "../ui/format.ts";
import css from "./FilesDialog.module.css";
import type { FolderPages, FolderView } from "./folder-pages.ts";

const ROW = 40;
const ROW_PHONE = 56;
// Long enough that a fast scroll asks only for where it ends.
const REST_MS = 80;
const NARROW = "(max-width: 720px)";
const ICONS = { folder: Folder, file: File, link: FileSymlink, other: FileQuestionMark };

interface FolderRowsProps {
  pages: FolderPages;
  view: FolderView;
  path: string;
  enter: (path: string) => void;
}

export function FolderRows({ pages, view, path, enter }: FolderRowsProps) {
  const { text: t } = useLanguage();
  const scroll = useRef<HTMLDivElement>(null);
  const narrow = useSyncExternalStore(onNarrow, isNarrow);
  const count = view.live ? view.total : view.entries.size;
  const row = narrow ? ROW_PHONE : ROW;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroll.current,
    estimateSize: () => row,
    overscan: 8,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows are the reason to measure anew
  useEffect(() => virtual.measure(), [row]);
  const items = virtual.getVirtualItems();
  const [first, last] = [items.at(0)?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => {
    const timer = setTimeout(() => pages.want(first, last), REST_MS);
    return () => clearTimeout(timer);
  }, [pages, first, last]);
  return (
    <div ref={scroll} className={css.rows} role="group" aria-label={t.inComputer} tabIndex={0}>
      <ul className={css.list} style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => (
          <li
            key={item.index}
            className={css.row}
            style={{ height: item.size, transform: `translateY(${item.start}px)` }}
            aria-posinset={item.index + 1}
            aria-setsize={count}
          >
            <Entry entry={view.entries.get(item.index)} path={path} live={view.live} enter={enter} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface EntryProps {
  entry: FolderEntry | undefined;
  path: string;
  live: boolean;
  enter: (path: string) => void;
}

function Entry({ entry, path, live, enter }: EntryProps) {
  const { text: t, locale } = useLanguage();
  const now = useNow(false);
  if (entry === undefined) return <span className={css.coming} />;
  const whole = path === "" ? entry.name : `${path}/${entry.name}`;
  const folder = entry.kind === "folder";
  const Icon = ICONS[entry.kind];
  const name = <Name name={entry.name} />;
  return (
    <>
      <Icon size={16} aria-hidden="true" />
      {folder ? (
        <button type="button" className={css.enter} title={visible(entry.name)} onClick={() => enter(whole)}>
          {name}
        </button>
      ) : (
        <span className={css.name} title={visible(entry.name)}>
          {name}
        </span>
      )}
      <small className={css.size}>{entry.kind === "file" ? bytes(entry.size) : ""}</small>
      <small className={css.time}>{moment(entry.modified_ms, now, locale)}</small>
      {live && (folder || entry.kind === "file") && (
        <a
          className={css.action}
          href={folder ? folderArchive(whole) : fileContent(whole)}
          download
          title={folder ? t.downloadFolder : t.download}
          aria-label={`${t.download}: ${visible(entry.name)}`}
        >
          <Download size={16} aria-hidden="true" />
        </a>
      )}
    </>
  );
}

/** Where it is too long the middle goes, and the ending stays. */
function Name({ name }: { name: string }) {
  const [, stem = "", ending = ""] = /^(.*?)((?<=.)\.[A-Za-z0-9]{1,8})?$/su.exec(visible(name)) ?? [];
  return (
    <>
      <bdi className={css.stem}>{stem}</bdi>
      {ending !== "" && <span>{ending}</span>}
    </>
  );
}

function onNarrow(listener: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

const isNarrow = () => matchMedia(NARROW).matches;
