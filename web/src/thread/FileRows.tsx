/** The entries of the open folders as a tree, of which only those rows in view are in the page (the ARIA treeview). */
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { Download, Ellipsis, MessageSquarePlus, Pencil, Trash2 } from "lucide-react";
import { type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { fileContent, folderArchive } from "../api/berth.ts";
import type { FolderEntry } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { visible } from "../ui/format.ts";
import { MenuButton } from "../ui/MenuButton.tsx";
import css from "./FilesDialog.module.css";
import { type EntryRow, type FileTree, isRemark, type TreeView } from "./file-tree.ts";
import { isAsleep } from "./RemarkText.tsx";
import { TreeItem } from "./TreeItem.tsx";
import { useTreeKeys } from "./use-tree-keys.ts";

const ROW = 40;
const ROW_PHONE = 56;
// Long enough that a fast scroll asks only for where it ends.
const REST_MS = 80;
/** Where the list is narrower than this its rows have two lines, as its style sheet has it too. */
const NARROW = 620;

/** What can be done with an entry: to open a file, and by who may, to have a bot look at it and to change it. */
export interface FileActions {
  open(path: string): void;
  readonly write: FileWriting | null;
}

export interface FileWriting {
  ask(path: string): void;
  rename(path: string, entry: FolderEntry): void;
  remove(path: string, entry: FolderEntry): void;
}

interface FileRowsProps {
  tree: FileTree;
  view: TreeView;
  /** The folder that is looked at. */
  current: string;
  /** The row to begin at, if it is there. */
  from: string | null;
  toggle: (path: string) => void;
  actions: FileActions | undefined;
}

export function FileRows({ tree, view, current, from, toggle, actions }: FileRowsProps) {
  const { text: t } = useLanguage();
  const scroll = useRef<HTMLDivElement>(null);
  const id = useId();
  const row = useNarrow(scroll) ? ROW_PHONE : ROW;
  const act = (at: number) => {
    const one = tree.row(at);
    if (one === undefined) return;
    if (isRemark(one)) return one.remark === "failed" ? tree.retry(one.folder) : undefined;
    if (one.entry?.kind === "folder") toggle(one.path);
    else if (one.entry?.kind === "file") actions?.open(one.path);
  };
  const keys = useTreeKeys(tree, view, from, { toggle, act });
  const virtual = useVirtualizer({
    count: view.count,
    getScrollElement: () => scroll.current,
    estimateSize: () => row,
    overscan: 8,
    // The row that has the focus stays in the page, or the focus would be lost with it.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), keys.active])].sort((a, b) => a - b),
  });
  useLayoutEffect(() => {
    const at = from === null ? -1 : tree.rowOf(from);
    if (at >= 0) virtual.scrollToIndex(at, { align: "center" });
  }, [tree, from, virtual]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows are the reason to measure anew
  useEffect(() => virtual.measure(), [row]);
  const items = virtual.getVirtualItems().filter(({ index }) => index < view.count);
  const { startIndex: first = 0, endIndex: last = 0 } = virtual.range ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows may have come between these
  useEffect(() => {
    const timer = setTimeout(() => tree.want(first, last), REST_MS);
    return () => clearTimeout(timer);
  }, [tree, first, last, view.count]);
  useLayoutEffect(() => {
    if (!keys.moved.current) return;
    keys.moved.current = false;
    virtual.scrollToIndex(keys.active);
    document.getElementById(`${id}-${keys.active}`)?.focus({ preventScroll: true });
  }, [keys, keys.active, virtual, id]);
  const shown = items.flatMap((item) => {
    const one = tree.row(item.index);
    const style = { height: item.size, transform: `translateY(${item.start}px)` };
    return one === undefined ? [] : [{ at: item.index, one, style }];
  });
  return (
    <div ref={scroll} className={css.rows}>
      <div className={css.list} style={{ height: virtual.getTotalSize() }}>
        <div role="tree" aria-label={t.inComputer} onKeyDown={keys.press}>
          {shown.map(({ at, one, style }) => (
            <TreeItem
              key={one.key}
              id={`${id}-${at}`}
              row={one}
              current={!isRemark(one) && one.path === current}
              reached={at === keys.active}
              style={style}
              be={() => keys.be(at)}
              act={() => act(at)}
            />
          ))}
        </div>
        {/* Beside the tree: whoever hears it is told names, and not what can be done with each. */}
        {shown.map(({ at, one, style }) =>
          isRemark(one) ? (
            one.remark === "failed" &&
            !isAsleep(one.state.reason) && (
              <div key={one.key} className={css.doings} style={style}>
                <Button look="quiet" onClick={() => tree.retry(one.folder)}>
                  {t.retry}
                </Button>
              </div>
            )
          ) : (
            <div key={one.key} className={css.doings} style={style}>
              <Doings row={one} reached={at === keys.active} actions={actions} />
            </div>
          ),
        )}
      </div>
    </div>
  );
}

interface DoingsProps {
  row: EntryRow;
  /** They come next for who goes by Tab. */
  reached: boolean;
  actions: FileActions | undefined;
}

function Doings({ row: { entry, path, live }, reached, actions }: DoingsProps) {
  const { text: t } = useLanguage();
  if (entry === undefined) return null;
  const folder = entry.kind === "folder";
  const stop = reached ? 0 : -1;
  return (
    <>
      {live && (folder || entry.kind === "file") && (
        <a
          className={css.action}
          tabIndex={stop}
          href={folder ? folderArchive(path) : fileContent(path)}
          download
          title={folder ? t.downloadFolder : t.download}
          aria-label={`${t.download}: ${visible(entry.name)}`}
        >
          <Download size={16} aria-hidden="true" />
        </a>
      )}
      {actions?.write != null && (
        <EntryMenu entry={entry} path={path} live={live} stop={stop} write={actions.write} />
      )}
    </>
  );
}

interface EntryMenuProps {
  entry: FolderEntry;
  path: string;
  live: boolean;
  stop: number;
  write: FileWriting;
}

/** In standby nothing is changed, and a bot can be asked all the same: its answer wakes the computer. */
function EntryMenu({ entry, path, live, stop, write }: EntryMenuProps) {
  const { text: t } = useLanguage();
  const changes = [
    { label: t.renameEllipsis, icon: <Pencil size={15} />, choose: () => write.rename(path, entry) },
    {
      label: t.deleteEllipsis,
      icon: <Trash2 size={15} />,
      bad: true,
      choose: () => write.remove(path, entry),
    },
  ];
  return (
    <MenuButton
      tabIndex={stop}
      label={t.fileMenu(visible(entry.name))}
      items={[
        { label: t.askAbout, icon: <MessageSquarePlus size={15} />, choose: () => write.ask(path) },
        ...(live ? changes : []),
      ]}
    >
      <Ellipsis size={16} aria-hidden="true" />
    </MenuButton>
  );
}

function useNarrow(box: RefObject<HTMLElement | null>): boolean {
  const [narrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setNarrow(element.clientWidth < NARROW);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, [box]);
  return narrow;
}
