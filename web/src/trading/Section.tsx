/** A part of the trading settings: a heading, what it holds, and what came of the last change. */
import { type ReactNode, useId } from "react";
import { Problem } from "../cards/Problem.tsx";
import { useText } from "../i18n/text.ts";
import type { Attempt } from "./attempt.ts";
import css from "./Trading.module.css";

export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <div className={css.section} role="group" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </div>
  );
}

export function Came({ of: { saved, problem } }: { of: Attempt }) {
  const t = useText();
  return (
    <>
      <span role="status" className={css.saved}>
        {saved && t.trading.saved}
      </span>
      {problem !== null && (
        <div className={css.problem}>
          <Problem problem={problem} />
        </div>
      )}
    </>
  );
}
