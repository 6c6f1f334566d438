/** A part of the notices' settings under a heading of its own. */
import { type ReactNode, useId } from "react";
import css from "./Notices.module.css";

export function Channel({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <div className={css.channel} role="group" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </div>
  );
}
