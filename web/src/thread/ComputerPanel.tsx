/** What the computer is doing, asked for when the panel opens: looking does not wake it. */
import { Popover } from "@base-ui/react/popover";
import { lazy, type RefObject, Suspense, useEffect, useState } from "react";
import { getComputer, standby } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import type { Computer } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { elapsed, moment } from "../ui/format.ts";
import overlay from "../ui/Overlay.module.css";
import css from "./ComputerButton.module.css";
import { computerWord } from "./ComputerButton.tsx";
import { CostSoFar } from "./CostSoFar.tsx";
import { EgressRules } from "./EgressRules.tsx";

const DIALOGS = {
  reset: lazy(() => import("./ResetDialog.tsx")),
  delete: lazy(() => import("./DeleteEverythingDialog.tsx")),
};

interface ComputerPanelProps {
  anchor: RefObject<HTMLElement | null>;
  computer: Computer;
  close: () => void;
  showFiles: () => void;
}

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

export default function ComputerPanel({ anchor, computer, close, showFiles }: ComputerPanelProps) {
  const { text: t, locale } = useLanguage();
  const [asked, setAsked] = useState<Computer | null>(null);
  const [failed, setFailed] = useState(false);
  const [asking, setAsking] = useState<keyof typeof DIALOGS | null>(null);
  const now = useNow(false);
  const shown = asked !== null && asked.since_ms >= computer.since_ms ? asked : computer;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of state is a reason to ask again
  useEffect(() => {
    let stale = false;
    getComputer().then(
      (answer) => !stale && setAsked(answer),
      (reason: unknown) => problemOf(reason),
    );
    return () => {
      stale = true;
    };
  }, [computer.state]);

  const sleep = () => {
    setFailed(false);
    standby().then(setAsked, (reason: unknown) => {
      problemOf(reason);
      setFailed(true);
    });
  };

  if (asking !== null) {
    const Asking = DIALOGS[asking];
    return (
      <Suspense>
        <Asking close={close} />
      </Suspense>
    );
  }
  return (
    <Popover.Root open onOpenChange={(open) => !open && close()}>
      <Popover.Portal>
        <Popover.Positioner anchor={anchor} sideOffset={6} collisionPadding={8} align="end">
          <Popover.Popup className={overlay.menu} finalFocus={anchor}>
            <div className={css.panel}>
              <Popover.Title>
                {t.computer}: {computerWord(shown, t)}
                <span>{t.computerSince(moment(shown.since_ms, now, locale))}</span>
              </Popover.Title>
              <Commands computer={shown} />
              <EgressRules />
              <CostSoFar close={close} />
              {failed && <p className={css.failed}>{t.standbyFailed}</p>}
              <Button onClick={showFiles}>{t.files}</Button>
              {shown.state === "running" && (shown.commands ?? []).length === 0 && (
                <Button onClick={sleep}>{t.putOnStandby}</Button>
              )}
              {!shown.ban && (
                <Button look="quiet" onClick={() => setAsking("reset")}>
                  {t.resetComputer}
                </Button>
              )}
              <Button look="quiet" onClick={() => setAsking("delete")}>
                {t.deleteEverything}
              </Button>
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
