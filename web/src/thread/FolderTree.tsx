/** The files of the computer as a tree. Asleep, it is shown as it was last seen, with the time. */
import { Download } from "lucide-react";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { folderArchive, getFolder } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { Problem } from "../cards/Problem.tsx";
import { folderOf } from "../computer/file-places.ts";
import type { Computer } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { count, moment } from "../ui/format.ts";
import { type FileActions, FileRows } from "./FileRows.tsx";
import css from "./FilesDialog.module.css";
import { FolderPath } from "./FolderPath.tsx";
import { FileTree } from "./file-tree.ts";
import type { FolderView, Sort } from "./folder-pages.ts";
import { isAsleep } from "./RemarkText.tsx";

export interface TreeOfFiles {
  readonly tree: FileTree;
  readonly sort: Sort;
  readonly sortBy: (sort: Sort) => void;
}

interface FolderTreeProps {
  files: TreeOfFiles;
  /** The folder that is looked at: it is open, and what is put here goes into it. */
  path: string;
  go: (path: string) => void;
  /** The row to begin at: whoever comes back from a file finds the place again. */
  from?: string | null;
  /** What can be done with an entry, where something can. */
  actions?: FileActions;
}

/** The tree with `path` open in it; asked for anew when the computer's state or the number of changes is another. */
export function useFiles(path: string, computer: Computer, changes = 0): TreeOfFiles {
  const [sort, sortBy] = useState<Sort>("name");
  const [tree] = useState(() => new FileTree(getFolder, sort));
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another state and a change are reasons to look again
  useEffect(() => {
    if (!first.current) tree.refresh(sort);
    first.current = false;
  }, [tree, sort, computer.state, changes]);
  useEffect(() => tree.reveal(path), [tree, path]);
  return { tree, sort, sortBy };
}

export function FolderTree({ files, path, go, from = null, actions }: FolderTreeProps) {
  const { text: t, locale } = useLanguage();
  const { tree, sort, sortBy } = files;
  const view = useSyncExternalStore(tree.subscribe, tree.state);
  const root = view.root.view;
  const here = tree.stateOf(path).view;
  const sorts: readonly (readonly [Sort, string])[] = [
    ["name", t.byName],
    ["size", t.bySize],
    ["time", t.byTime],
  ];
  const toggle = (folder: string) => {
    if (!tree.isOpen(folder)) {
      tree.reveal(folder);
      return go(folder);
    }
    tree.close(folder);
    if (path === folder || path.startsWith(`${folder}/`)) go(folderOf(folder));
  };
  return (
    <div className={css.body}>
      <FolderPath path={path} go={go} />
      <div className={css.bar}>
        <div className={css.choice}>
          {sorts.map(([value, word]) => (
            <Button key={value} look="quiet" aria-pressed={sort === value} onClick={() => sortBy(value)}>
              {word}
            </Button>
          ))}
        </div>
        {here !== null && here.total > 0 && <small>{t.entries(count(here.total, locale))}</small>}
        {here?.live && here.total > 0 && (
          <a
            className={css.action}
            href={folderArchive(path)}
            download
            title={t.downloadFolder}
            aria-label={t.downloadFolder}
          >
            <Download size={16} aria-hidden="true" />
          </a>
        )}
      </div>
      <Asleep view={here ?? root} />
      {root === null ? (
        view.root.reason === null ? (
          <p className={css.empty}>{t.loading}</p>
        ) : (
          <Failure reason={view.root.reason} retry={() => tree.retry("")} />
        )
      ) : root.total === 0 ? (
        <p className={css.empty}>{t.emptyFolder}</p>
      ) : (
        <FileRows
          key={sort}
          tree={tree}
          view={view}
          current={path}
          from={from}
          toggle={toggle}
          actions={actions}
        />
      )}
    </div>
  );
}

function Asleep({ view }: { view: FolderView | null }) {
  const { text: t, locale } = useLanguage();
  const now = useNow(false);
  if (view === null || view.live) return null;
  return (
    <p className={css.note} role="status">
      {t.lastSeen(moment(view.at_ms, now, locale))}
    </p>
  );
}

function Failure({ reason, retry }: { reason: unknown; retry: () => void }) {
  const { text: t } = useLanguage();
  if (isAsleep(reason)) {
    return (
      <p className={css.empty} role="status">
        {t.neverSeen}
      </p>
    );
  }
  return (
    <div className={css.failure} role="status">
      <Problem problem={problemOf(reason)}>
        <Button onClick={retry}>{t.retry}</Button>
      </Problem>
    </div>
  );
}
