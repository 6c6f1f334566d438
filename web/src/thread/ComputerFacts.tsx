/** What the computer runs, reaches and costs, and what can be done about it. Looking does not wake it. */
import { type ReactNode, useState } from "react";
import { standby } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import type { Computer } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { elapsed } from "../ui/format.ts";
import css from "./ComputerButton.module.css";
import { CostSoFar } from "./CostSoFar.tsx";
import { EgressRules } from "./EgressRules.tsx";

function Commands({ computer }: { computer: Computer }) {
  const { text: t } = useLanguage();
  const commands = computer.commands ?? [];
  const now = useNow(commands.length > 0);
  if (computer.ban) return <p className={css.failed}>{t.computerBanned(computer.ban.reason)}</p>;
  if (computer.state === "standby") return <p>{t.computerKept}</p>;
  if (commands.length === 0) return <p>{t.computerNothing}</p>;
  return (
    <ul className={css.commands}>
      {commands.map((command) => (
        <li key={command.id}>
          <code>{command.command}</code>
          <small>{elapsed(now - command.since_ms)}</small>
        </li>
      ))}
    </ul>
  );
}

interface ComputerFactsProps {
  computer: Computer;
  changed: (computer: Computer) => void;
  askReset: () => void;
  showFiles: () => void;
  /** The page is being left for another one. */
  close?: () => void;
  children?: ReactNode;
}

export function ComputerFacts({
  computer,
  changed,
  askReset,
  showFiles,
  close,
  children,
}: ComputerFactsProps) {
  const { text: t } = useLanguage();
  const [failed, setFailed] = useState(false);
  const sleep = () => {
    setFailed(false);
    standby().then(changed, (reason: unknown) => {
      problemOf(reason);
      setFailed(true);
    });
  };
  return (
    <>
      <Commands computer={computer} />
      <EgressRules />
      <CostSoFar close={close} />
      {failed && <p className={css.failed}>{t.standbyFailed}</p>}
      <Button onClick={showFiles}>{t.files}</Button>
      {computer.state === "running" && (computer.commands ?? []).length === 0 && (
        <Button onClick={sleep}>{t.putOnStandby}</Button>
      )}
      {!computer.ban && (
        <Button look="quiet" onClick={askReset}>
          {t.resetComputer}
        </Button>
      )}
      {children}
    </>
  );
}
