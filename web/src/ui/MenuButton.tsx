/** A button that opens a menu. Only the button is in the first load; it asks for the rest when it is near. */

import { lazy, type ReactNode, useRef, useState } from "react";
import { LazyPart } from "../ui/LazyPart.tsx";
import { Button } from "./Button.tsx";

export interface MenuItem {
  readonly label: string;
  readonly choose: () => void;
  readonly icon?: ReactNode;
  /** Set where one of the items is the present choice. */
  readonly checked?: boolean;
  readonly bad?: boolean;
  readonly lang?: string;
}

const load = () => import("./MenuPopup.tsx");
const MenuPopup = lazy(load);

interface MenuButtonProps {
  label: string;
  items: readonly MenuItem[];
  children: ReactNode;
  className?: string | undefined;
  tabIndex?: number;
}

export function MenuButton({ label, items, children, className, tabIndex }: MenuButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        ref={button}
        icon
        look="quiet"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        className={className}
        tabIndex={tabIndex}
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
        onClick={() => setOpen(true)}
      >
        {children}
      </Button>
      {open && (
        <LazyPart close={() => setOpen(false)}>
          <MenuPopup anchor={button} items={items} label={label} close={() => setOpen(false)} />
        </LazyPart>
      )}
    </>
  );
}
