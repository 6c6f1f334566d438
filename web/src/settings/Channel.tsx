/** A part of the notices' settings under a heading of its own. */
import { type ReactNode, useId } from "react";
import css from "./Settings.module.css";

export function Channel({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <div className={css.channel} role="group" aria-labelledby={id}>
      <h4 id={id}>{title}</h4>
      {children}
    </div>
  );
}
