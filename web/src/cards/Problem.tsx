/** A failure with what a person can do about it. The server's sentence tells the facts, ours the way on. */
import { OctagonX } from "lucide-react";
import type { ReactNode } from "react";
import type { Exhausted, Problem as ProblemRecord } from "../contracts.ts";
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
  const unreachable = problem === "unreachable";
  const { title, advice } = unreachable ? t.unreachable : (t.errors[problem.code] ?? t.errors.internal);
  // Then what is said of files elsewhere does not hold.
  const gone = !unreachable && problem.details?.reason === "files_unavailable";
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
          {!unreachable && problem.message !== "" && <p>{problem.message}</p>}
          <p className={css.advice}>{gone ? t.computerFilesAdvice : advice}</p>
        </>
      ) : (
        <ExhaustedFacts facts={exhausted} />
      )}
      {children !== undefined && <div className={css.do}>{children}</div>}
    </div>
  );
}
