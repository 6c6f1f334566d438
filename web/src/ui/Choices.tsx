/**
 * A list of which one row is the present one, moved by the keys of the field above it. The focus stays in the field,
 * which names the row by `aria-activedescendant`.
 */
import clsx from "clsx";
import type { LucideIcon } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef } from "react";
import css from "./Choices.module.css";
import { Keys } from "./Keys.tsx";

export interface Choice {
  readonly id: string;
  readonly icon: LucideIcon;
  readonly label: string;
  /** Where it leads or what it does, in fewer words than the label. */
  readonly detail?: string | undefined;
  /** The keys that do the same. */
  readonly keys?: string | undefined;
  readonly mono?: boolean;
}

interface ChoicesProps {
  id: string;
  label: string;
  choices: readonly Choice[];
  active: number;
  choose: (index: number) => void;
  point: (index: number) => void;
  /** Of the list itself, which can be gone to, as it may be longer than there is room for. */
  press?: (event: KeyboardEvent) => void;
}

export const choiceId = (list: string, index: number): string => `${list}-${index}`;

/** The row that a key leads to from the present one; null for a key that is none of the list's. */
export function moved(key: string, active: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowDown") return (active + 1) % count;
  if (key === "ArrowUp") return (active + count - 1) % count;
  return null;
}

export function Choices({ id, label, choices, active, choose, point, press }: ChoicesProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div
      ref={list}
      id={id}
      className={css.choices}
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={choiceId(id, active)}
      onKeyDown={press}
    >
      {choices.map(({ id: key, icon: Icon, label: name, detail, keys, mono }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field that has the focus
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
        <div
          key={key}
          id={choiceId(id, index)}
          className={css.choice}
          role="option"
          aria-selected={index === active}
          data-choice={key}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => index !== active && point(index)}
          onClick={() => choose(index)}
        >
          <Icon size={16} aria-hidden="true" />
          <span className={clsx(css.label, mono && css.mono)}>{name}</span>
          {detail !== undefined && <span className={css.detail}>{detail}</span>}
          {keys !== undefined && <Keys keys={keys} />}
        </div>
      ))}
    </div>
  );
}
