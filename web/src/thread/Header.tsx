/** The bar above a page: the way to the rail on a small screen, what is shown, and what can be done with it. */
import clsx from "clsx";
import { Menu } from "lucide-react";
import type { ReactNode, Ref } from "react";
import { useStore } from "zustand";
import { preferences } from "../app/preferences.ts";
import { embedding } from "../embed/mode.ts";
import { useText } from "../i18n/text.ts";
import { HaltButton } from "../trading/HaltButton.tsx";
import { Button } from "../ui/Button.tsx";
import css from "./Header.module.css";

interface HeaderProps {
  title: string;
  below?: string | undefined;
  /** Given where the page is gone to by its heading. */
  heading?: Ref<HTMLHeadingElement>;
  openRail: () => void;
  children?: ReactNode;
}

export function Header({ title, below, heading, openRail, children }: HeaderProps) {
  const t = useText();
  const hidden = useStore(preferences, (all) => all.listHidden);
  return (
    <header className={css.header}>
      {embedding === "none" && (
        <Button
          icon
          look="quiet"
          className={clsx(css.rail, hidden && css.always)}
          aria-label={t.openThreads}
          data-list-button
          onClick={openRail}
        >
          <Menu size={19} aria-hidden="true" />
        </Button>
      )}
      <div className={css.what}>
        <h1 ref={heading} tabIndex={heading === undefined ? undefined : -1}>
          {title}
        </h1>
        {below !== undefined && <div className={css.bot}>{below}</div>}
      </div>
      <HaltButton />
      {children}
    </header>
  );
}
