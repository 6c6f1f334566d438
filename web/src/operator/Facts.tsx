/** Terms and values side by side, in as many columns as there is room for. */
import type { ReactNode } from "react";
import css from "./Operator.module.css";

export type Fact = readonly [string, ReactNode];

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={css.facts}>
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
