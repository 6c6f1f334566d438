/** One row of the tree of files: an entry, or what there is to say of a folder in the place of entries. */
import { ChevronDown, ChevronRight, File, FileQuestionMark, FileSymlink, Folder } from "lucide-react";
import type { CSSProperties } from "react";
import type { FolderEntry } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { useNow } from "../ui/clock.ts";
import { bytes, moment, visible } from "../ui/format.ts";
import css from "./FilesDialog.module.css";
import { isRemark, type TreeRow } from "./file-tree.ts";
import { RemarkText } from "./RemarkText.tsx";

/** Deeper ones are not moved further: a name has to have room. */
const DEEPEST = 8;
const ICONS = { folder: Folder, file: File, link: FileSymlink, other: FileQuestionMark };

interface TreeItemProps {
  id: string;
  row: TreeRow;
  /** It is the folder that is looked at. */
  current: boolean;
  /** Tab leads here. */
  reached: boolean;
  style: CSSProperties;
  be: () => void;
  act: () => void;
}

export function TreeItem({ id, row, current, reached, style, be, act }: TreeItemProps) {
  const { locale } = useLanguage();
  const now = useNow(false);
  const entry = isRemark(row) ? undefined : row.entry;
  const size = entry?.kind === "file" ? bytes(entry.size) : "";
  const time = entry === undefined ? "" : moment(entry.modified_ms, now, locale);
  const open = !isRemark(row) && row.open;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the tree's
    <div
      id={id}
      role="treeitem"
      tabIndex={reached ? 0 : -1}
      className={css.row}
      style={{ ...style, "--depth": Math.min(row.level - 1, DEEPEST) } as CSSProperties}
      aria-level={row.level}
      aria-posinset={isRemark(row) ? undefined : row.place}
      aria-setsize={isRemark(row) ? undefined : row.of}
      aria-expanded={entry?.kind === "folder" ? open : undefined}
      aria-current={current && entry?.kind === "folder" ? "location" : undefined}
      aria-description={entry === undefined ? undefined : `${size} ${time}`.trim()}
      onFocus={be}
      onClick={act}
    >
      {isRemark(row) ? (
        <RemarkText row={row} />
      ) : entry === undefined ? (
        <span className={css.coming} />
      ) : (
        <>
          <Mark entry={entry} open={open} />
          {/* Its two parts would be read as two words. */}
          <span className="aside-visually">{visible(entry.name)}</span>
          <span className={css.name} data-kind={entry.kind} title={visible(entry.name)} aria-hidden="true">
            <Name name={entry.name} />
          </span>
          <small className={css.size} aria-hidden="true">
            {size}
          </small>
          <small className={css.time} aria-hidden="true">
            {time}
          </small>
        </>
      )}
    </div>
  );
}

/** Whether it is open, and what it is. */
function Mark({ entry, open }: { entry: FolderEntry; open: boolean }) {
  const Icon = ICONS[entry.kind];
  const Turn = open ? ChevronDown : ChevronRight;
  return (
    <span className={css.mark} aria-hidden="true">
      {entry.kind === "folder" ? <Turn size={14} /> : <span />}
      <Icon size={16} />
    </span>
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
