/** How the computer is, in one quiet word, which opens and closes the computer beside the conversation. */
import { Monitor } from "lucide-react";
import { useCommand } from "../app/commands.ts";
import { usePanel } from "../computer/panel-address.ts";
import type { Computer } from "../contracts.ts";
import { type Dictionary, useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import css from "./ComputerButton.module.css";

export function computerWord(computer: Computer, t: Dictionary): string {
  if (computer.ban) return t.computerBlocked;
  if (computer.state === "standby") return t.computerStandby;
  return computer.state === "starting" ? t.computerStarting : t.computerRunning;
}

const load = () => import("../computer/ComputerView.tsx");

export function ComputerButton({ computer }: { computer: Computer }) {
  const t = useText();
  const panel = usePanel();
  const word = computerWord(computer, t);
  const toggle = () => (panel.tab === null ? panel.show(panel.last) : panel.close());
  useCommand("computer", toggle);
  return (
    <Button
      look="quiet"
      className={css.computer}
      data-state={computer.state}
      aria-label={`${t.computer}: ${word}`}
      aria-expanded={panel.tab !== null}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={toggle}
    >
      <Monitor size={16} aria-hidden="true" />
      <span className={css.word}>{word}</span>
      <span className={css.dot} aria-hidden="true" />
    </Button>
  );
}
