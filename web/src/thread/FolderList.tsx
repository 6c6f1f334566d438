/** A folder of the computer. Asleep, it is shown as it was last seen, with the time. */
import { Download } from "lucide-react";
import { useMemo, useState, useSyncExternalStore } from "react";
import { folderArchive, getFolder } from "../api/berth.ts";
import { ApiError, problemOf } from "../api/http.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Computer } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { count, moment } from "../ui/format.ts";
import css from "./FilesDialog.module.css";
import { FolderPath } from "./FolderPath.tsx";
import { FolderRows } from "./FolderRows.tsx";
import { FolderPages, type FolderView, type Sort } from "./folder-pages.ts";

export function FolderList({ computer }: { computer: Computer }) {
  const { text: t, locale } = useLanguage();
  const [path, setPath] = useState("");
  const [sort, setSort] = useState<Sort>("name");
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of state is a reason to look again
  const pages = useMemo(
    () => new FolderPages((offset) => getFolder(path, sort, offset), sort),
    [path, sort, computer.state],
  );
  const { view, reason } = useSyncExternalStore(pages.subscribe, pages.state);
  const sorts: readonly (readonly [Sort, string])[] = [
    ["name", t.byName],
    ["size", t.bySize],
    ["time", t.byTime],
  ];
  return (
    <div className={css.body}>
      <FolderPath path={path} go={setPath} />
      <div className={css.bar}>
        <div className={css.choice}>
          {sorts.map(([value, word]) => (
            <Button key={value} look="quiet" aria-pressed={sort === value} onClick={() => setSort(value)}>
              {word}
            </Button>
          ))}
        </div>
        {view !== null && view.total > 0 && <small>{t.entries(count(view.total, locale))}</small>}
        {view?.live && view.total > 0 && (
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
      {view !== null && <Notes view={view} />}
      {reason !== null && <Failure reason={reason} retry={() => pages.retry()} />}
      {view === null && reason === null && <p className={css.empty}>{t.loading}</p>}
      {view?.total === 0 && <p className={css.empty}>{t.emptyFolder}</p>}
      {view !== null && view.total > 0 && (
        <FolderRows key={`${sort} ${path}`} pages={pages} view={view} path={path} enter={setPath} />
      )}
    </div>
  );
}

function Notes({ view }: { view: FolderView }) {
  const { text: t, locale } = useLanguage();
  const now = useNow(false);
  const hidden = view.live ? 0 : view.total - view.entries.size;
  if (view.live && !view.cut) return null;
  return (
    <p className={css.note} role="status">
      {!view.live && t.lastSeen(moment(view.at_ms, now, locale))}
      {hidden > 0 && ` ${t.moreEntries(count(hidden, locale))}`}
      {view.cut && ` ${t.listCut(count(view.total, locale))}`}
    </p>
  );
}

/** That a computer sleeps is no failure. */
function Failure({ reason, retry }: { reason: unknown; retry: () => void }) {
  const { text: t } = useLanguage();
  const asleep = reason instanceof ApiError && reason.problem.code === "computer_unavailable";
  if (asleep) {
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
