/** What the computer is doing, asked for when the panel opens: looking does not wake it. */
import { Popover } from "@base-ui/react/popover";
import { lazy, type RefObject, Suspense, useEffect, useState } from "react";
import { getComputer } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import type { Computer } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { moment } from "../ui/format.ts";
import overlay from "../ui/Overlay.module.css";
import css from "./ComputerButton.module.css";
import { computerWord } from "./ComputerButton.tsx";
import { ComputerFacts } from "./ComputerFacts.tsx";

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

export default function ComputerPanel({ anchor, computer, close, showFiles }: ComputerPanelProps) {
  const { text: t, locale } = useLanguage();
  const [asked, setAsked] = useState<Computer | null>(null);
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
            <div className={`${css.panel} ${css.facts}`}>
              <Popover.Title>
                {t.computer}: {computerWord(shown, t)}
                <span>{t.computerSince(moment(shown.since_ms, now, locale))}</span>
              </Popover.Title>
              <ComputerFacts
                computer={shown}
                changed={setAsked}
                askReset={() => setAsking("reset")}
                showFiles={showFiles}
                close={close}
              >
                <Button look="quiet" onClick={() => setAsking("delete")}>
                  {t.deleteEverything}
                </Button>
              </ComputerFacts>
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
