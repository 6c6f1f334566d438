/** What the computer runs, reaches and costs, and what can be done about it. Looking does not wake it. */
import { type ReactNode, useState } from "react";
import { standby } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { useLiveNow } from "../app/contact.ts";
import { useMay } from "../app/rights.ts";
import type { Computer } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { elapsed } from "../ui/format.ts";
import css from "./ComputerButton.module.css";
import { CostSoFar } from "./CostSoFar.tsx";
import { EgressCheck } from "./EgressCheck.tsx";
import { EgressRules } from "./EgressRules.tsx";

function Commands({ computer }: { computer: Computer }) {
  const { text: t } = useLanguage();
  const commands = computer.commands ?? [];
  const now = useLiveNow(commands.length > 0);
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
  /** Left out where the files stand beside it. */
  showFiles?: () => void;
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
  const chats = useMay("chat");
  const manages = useMay("manage");
  const [opened, setOpened] = useState(0);
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
      <EgressRules key={opened} />
      <EgressCheck opened={() => setOpened(opened + 1)} />
      <CostSoFar close={close} />
      {failed && <p className={css.failed}>{t.standbyFailed}</p>}
      {showFiles !== undefined && <Button onClick={showFiles}>{t.files}</Button>}
      {chats && computer.state === "running" && (computer.commands ?? []).length === 0 && (
        <Button onClick={sleep}>{t.putOnStandby}</Button>
      )}
      {manages && !computer.ban && (
        <Button look="quiet" onClick={askReset}>
          {t.resetComputer}
        </Button>
      )}
      {children}
    </>
  );
}
