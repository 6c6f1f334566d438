/**
 * A diff in one column or two: each line with its mark, its number and a tint, never colour alone. The words of the
 * language have their colours once these have come. A long one begins folded.
 */
import clsx from "clsx";
import { useMemo, useState } from "react";
import { useStore } from "zustand";
import { chooseDiff, preferences } from "../app/preferences.ts";
import type { FileChange } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { count } from "../ui/format.ts";
import { CodeLine } from "./CodeLine.tsx";
import { type CodePiece, useCodeLines } from "./code-lines.ts";
import css from "./DiffView.module.css";
import { type DiffLine, diffLines, pairs } from "./diff-lines.ts";
import { scrollable } from "./Output.tsx";

/** Of more lines only the beginning is shown until somebody asks. */
const FOLDED = 80;
const MARKS = { added: "+", removed: "−", same: " ", place: "" };

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

interface SideProps {
  line: DiffLine | undefined;
  pieces: readonly CodePiece[] | null;
  number: number | null;
}

function Side({ line, pieces, number }: SideProps) {
  if (line === undefined) return <span className={clsx(css.line, css.none)} />;
  return (
    <span className={clsx(css.line, css[line.kind])}>
      <span className={css.number} data-number={number ?? ""} />
      <span className={css.mark} data-mark={MARKS[line.kind]} />
      <span className={css.text}>
        <CodeLine text={line.text} pieces={line.kind === "place" ? null : pieces} />
        {"\n"}
      </span>
    </span>
  );
}

/** The colours of each line: of what was there before and what is there now, each as a text of its own. */
function useColours(lines: readonly DiffLine[], path: string): (readonly CodePiece[] | null)[] {
  const texts = useMemo(() => {
    const side = (left: "added" | "removed") =>
      lines.map(({ kind, text }) => (kind === left || kind === "place" ? "" : text)).join("\n");
    return [side("added"), side("removed")];
  }, [lines]);
  const [before, after] = useCodeLines(texts, path);
  return lines.map(({ kind }, index) => (kind === "removed" ? before : after)?.[index] ?? null);
}

export function DiffView({ diff, cut, path }: { diff: string; cut: boolean; path: string }) {
  const { text: t, locale } = useLanguage();
  const split = useStore(preferences, (all) => all.diff === "split");
  const [whole, setWhole] = useState(false);
  const lines = useMemo(() => diffLines(diff), [diff]);
  const colours = useColours(lines, path);
  const folded = !whole && lines.length > FOLDED;
  const shown = folded ? lines.slice(0, FOLDED) : lines;
  return (
    <div className={css.box}>
      <div className={css.bar}>
        {(["unified", "split"] as const).map((how) => (
          <Button
            key={how}
            look="quiet"
            aria-pressed={split === (how === "split")}
            onClick={() => chooseDiff(how)}
          >
            {how === "split" ? t.diffSplit : t.diffUnified}
          </Button>
        ))}
      </div>
      <pre className={clsx(css.diff, split && css.split)} {...scrollable(t.changesOf(path))}>
        <code>
          {split
            ? pairs(shown).map(({ left, right }) => (
                <span key={`${left} ${right}`} className={css.pair}>
                  <Side
                    line={left === null ? undefined : shown[left]}
                    pieces={left === null ? null : (colours[left] ?? null)}
                    number={left === null ? null : (shown[left]?.before ?? null)}
                  />
                  <Side
                    line={right === null ? undefined : shown[right]}
                    pieces={right === null ? null : (colours[right] ?? null)}
                    number={right === null ? null : (shown[right]?.after ?? null)}
                  />
                </span>
              ))
            : shown.map((line, index) => (
                <Side
                  // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
                  key={index}
                  line={line}
                  pieces={colours[index] ?? null}
                  number={line.after ?? line.before}
                />
              ))}
        </code>
      </pre>
      {folded && (
        <Button look="quiet" className={css.more} onClick={() => setWhole(true)}>
          {t.showAll(count(lines.length, locale))}
        </Button>
      )}
      {cut && <p className={css.note}>{t.diffCut}</p>}
    </div>
  );
}
