/** A sheet that covers the whole page, for what has a column of its own on a wide screen. */
import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import css from "./Overlay.module.css";

interface CoverProps {
  title: string;
  close: () => void;
  children: ReactNode;
}

export default function Cover({ title, close, children }: CoverProps) {
  return (
    <Base.Root open onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Popup className={css.cover}>
          <Base.Title className="aside-visually">{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
