/** What there is to say of a folder in the place of entries. That a computer sleeps is no failure. */
import { ApiError, problemOf } from "../api/http.ts";
import { useLanguage } from "../i18n/text.ts";
import { count } from "../ui/format.ts";
import css from "./FilesDialog.module.css";
import type { RemarkRow } from "./file-tree.ts";

export const isAsleep = (reason: unknown): boolean =>
  reason instanceof ApiError && reason.problem.code === "computer_unavailable";

export function RemarkText({ row }: { row: RemarkRow }) {
  const { text: t, locale } = useLanguage();
  const { remark, state } = row;
  if (remark === "failed" && !isAsleep(state.reason)) {
    const problem = problemOf(state.reason);
    const said = problem === "unreachable" ? t.unreachable.title : t.errors[problem.code].title;
    return (
      <span className={css.remark} role="status">
        {said}
      </span>
    );
  }
  const total = state.view?.total ?? 0;
  const words = {
    loading: t.loading,
    empty: t.emptyFolder,
    failed: t.neverSeen,
    hidden: t.moreEntries(count(total - (state.view?.entries.size ?? 0), locale)),
    cut: t.listCut(count(total, locale)),
  };
  return (
    <span className={css.remark} role={remark === "loading" ? undefined : "status"}>
      {words[remark]}
    </span>
  );
}
