/** A unified diff as text: each line with its mark and a tint, never colour alone. */
import type { FileChange } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { count } from "../ui/format.ts";
import css from "./DiffView.module.css";
import { diffLines } from "./diff-lines.ts";
import { scrollable } from "./Output.tsx";

export function Tally({ change }: { change: FileChange }) {
  const { text: t, locale } = useLanguage();
  const [added, removed] = [change.added ?? 0, change.removed ?? 0];
  const [more, less] = [count(added, locale), count(removed, locale)];
  return (
    <span className={css.tally}>
      <span className={css.added} aria-hidden="true">{`+${more}`}</span>
      <span className={css.removed} aria-hidden="true">{`−${less}`}</span>
      <span className="aside-visually">{t.linesChanged(more, less)}</span>
    </span>
  );
}

export function DiffView({ diff, cut, path }: { diff: string; cut: boolean; path: string }) {
  const { text: t } = useLanguage();
  return (
    <>
      <pre className={css.diff} {...scrollable(t.changesOf(path))}>
        <code>
          {diffLines(diff).map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
            <span key={index} className={css[line.kind]}>
              {`${line.text}\n`}
            </span>
          ))}
        </code>
      </pre>
      {cut && <p className={css.note}>{t.diffCut}</p>}
    </>
  );
}
