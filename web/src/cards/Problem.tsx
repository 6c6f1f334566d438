/** A failure with what a person can do about it. What the server says tells the facts, ours the way on. */
import { OctagonX } from "lucide-react";
import type { ReactNode } from "react";
import type { Exhausted, Problem as ProblemRecord } from "../contracts.ts";
import { type Sentences, sentenceOf } from "../i18n/reasons/reason.ts";
import { useSentences } from "../i18n/reasons/use-sentences.ts";
import { useText } from "../i18n/text.ts";
import css from "./Card.module.css";
import { ExhaustedFacts } from "./ExhaustedFacts.tsx";

/** Nothing for the moment in which it is not known yet whether there is a sentence. */
function saidOf(problem: ProblemRecord, sentences: Sentences | null): string {
  return sentences === null ? "" : (sentenceOf(problem.details, sentences) ?? problem.message);
}

export function Problem({
  problem,
  children,
}: {
  problem: ProblemRecord | "unreachable";
  children?: ReactNode;
}) {
  const t = useText();
  const sentences = useSentences();
  const unreachable = problem === "unreachable";
  const { title, advice } = unreachable ? t.unreachable : (t.errors[problem.code] ?? t.errors.internal);
  // Then what is said of files elsewhere does not hold.
  const gone = !unreachable && problem.details?.reason === "files_unavailable";
  // Where a way on is in the sentence itself.
  const refusals: Record<string, string> = t.tradingRefused;
  const refusal =
    !unreachable && problem.code === "forbidden" ? refusals[String(problem.details?.reason)] : undefined;
  const exhausted =
    !unreachable && problem.code === "computer_allowance_exhausted" && problem.details
      ? (problem.details as unknown as Exhausted)
      : null;
  return (
    <div className={css.problem} role="group" aria-label={title}>
      <OctagonX size={15} aria-hidden="true" />
      <strong>{title}</strong>
      {exhausted === null ? (
        <>
          {!unreachable && problem.message !== "" && <p>{refusal ?? saidOf(problem, sentences)}</p>}
          {refusal === undefined && <p className={css.advice}>{gone ? t.computerFilesAdvice : advice}</p>}
        </>
      ) : (
        <ExhaustedFacts facts={exhausted} />
      )}
      {children !== undefined && <div className={css.do}>{children}</div>}
    </div>
  );
}
