/** A question or a form above the page. On a phone it rises from the bottom, where the thumb is. */
import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import css from "./Overlay.module.css";

export interface DialogProps {
  title: string;
  close: () => void;
  children: ReactNode;
}

export function Dialog({ title, close, children }: DialogProps) {
  return (
    <Base.Root open onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className={css.shade} />
        <Base.Popup className={css.dialog}>
          <Base.Title className={css.title}>{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

export function DialogBody({ children }: { children: ReactNode }) {
  return <div className={css.body}>{children}</div>;
}

/** Buttons from the least to the most wanted; `first` stands apart at the other side. */
export function DialogEnd({ first, children }: { first?: ReactNode; children: ReactNode }) {
  return (
    <div className={css.end}>
      {first !== undefined && <span className={css.first}>{first}</span>}
      {children}
    </div>
  );
}
