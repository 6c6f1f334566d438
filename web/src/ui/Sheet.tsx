/** A panel that comes in from the side over the page, for what has a column of its own on a wide screen. */
import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import css from "./Overlay.module.css";

export default function Sheet({
  title,
  close,
  children,
}: {
  title: string;
  close: () => void;
  children: ReactNode;
}) {
  return (
    <Base.Root open onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className={css.shade} />
        <Base.Popup className={css.sheet}>
          <Base.Title className="aside-visually">{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
