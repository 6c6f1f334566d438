/** What a menu button opens. Loaded with the first menu that is opened. */
import { Menu as Base } from "@base-ui/react/menu";
import clsx from "clsx";
import { Check } from "lucide-react";
import type { RefObject } from "react";
import type { MenuItem } from "./MenuButton.tsx";
import css from "./Overlay.module.css";

interface MenuPopupProps {
  anchor: RefObject<HTMLElement | null>;
  items: readonly MenuItem[];
  label: string;
  close: () => void;
}

export default function MenuPopup({ anchor, items, label, close }: MenuPopupProps) {
  return (
    <Base.Root open onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} sideOffset={4} collisionPadding={8} align="end">
          <Base.Popup className={css.menu} aria-label={label} finalFocus={anchor}>
            {items.map((item) => (
              <Base.Item
                key={item.label}
                className={clsx(css.item, item.bad && css.bad)}
                onClick={item.choose}
                {...(item.checked === undefined
                  ? {}
                  : { role: "menuitemradio", "aria-checked": item.checked })}
              >
                {item.icon}
                <span lang={item.lang}>{item.label}</span>
                {item.checked && <Check size={15} className={css.check} aria-hidden="true" />}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
