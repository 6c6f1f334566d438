/** A failure with what a person can do about it. What the server says tells the facts, ours the way on. */
import { OctagonX } from "lucide-react";
import type { ReactNode } from "react";
import type { Exhausted, Problem as ProblemRecord } from "../contracts.ts";
import { useSaid } from "../i18n/reasons/use-sentences.ts";
import { useText } from "../i18n/text.ts";
import css from "./Card.module.css";
import { ExhaustedFacts } from "./ExhaustedFacts.tsx";

export function Problem({
  problem,
  children,
}: {
  problem: ProblemRecord | "unreachable";
  children?: ReactNode;
}) {
  const t = useText();
  const saidOf = useSaid();
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
          {!unreachable && problem.message !== "" && <p>{refusal ?? saidOf(problem)}</p>}
          {refusal === undefined && <p className={css.advice}>{gone ? t.computerFilesAdvice : advice}</p>}
        </>
      ) : (
        <ExhaustedFacts facts={exhausted} />
      )}
      {children !== undefined && <div className={css.do}>{children}</div>}
    </div>
  );
}
