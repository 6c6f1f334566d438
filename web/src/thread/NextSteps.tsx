/** What is left of the first steps, above the composer, for as long as somebody who began them has not seen all. */
import { Settings, X } from "lucide-react";
import { useLocation } from "wouter";
import { useStore } from "zustand";
import { run } from "../app/commands.ts";
import { leftOf, noteStep, takenSteps, waveAway } from "../app/taken-steps.ts";
import { standing } from "../app/trading.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import css from "./FirstSteps.module.css";
import { STEP_ICONS } from "./FirstSteps.tsx";
import { firstMessage, standingOf } from "./first-steps.ts";

interface NextStepsProps {
  manual: boolean;
  /** What was begun last still runs. */
  busy: boolean;
  take: (text: string) => void;
}

export default function NextSteps({ manual, busy, take }: NextStepsProps) {
  const t = useText();
  const [, navigate] = useLocation();
  const trading = useStore(standing, (all) => all.trading);
  const taken = useStore(takenSteps, (all) => all.taken);
  const left = leftOf(taken).filter((step) => step === "settings" || standingOf(step, trading) !== "hidden");
  if (left.length === 0) return null;
  const goToSettings = () => {
    noteStep("settings");
    navigate("/settings");
  };
  return (
    <div className={css.next} role="group" aria-label={t.nextSteps}>
      <div className={css.chips}>
        <span>{t.nextSteps}</span>
        {left.map((step) => {
          if (step === "settings") {
            return (
              <Button key={step} onClick={goToSettings}>
                <Settings size={15} aria-hidden="true" />
                {t.seeSettings}
              </Button>
            );
          }
          if (standingOf(step, trading) !== "ready") return null;
          const Icon = STEP_ICONS[step];
          return (
            <Button
              key={step}
              disabled={busy}
              onClick={() => {
                noteStep(step);
                take(firstMessage(step, manual, t));
                // The step goes, and whoever came to it by the keyboard goes on from here.
                run("compose");
              }}
            >
              <Icon size={15} aria-hidden="true" />
              {t.firstSteps[step].label}
            </Button>
          );
        })}
      </div>
      <Button icon look="quiet" aria-label={t.dismiss} onClick={waveAway}>
        <X size={15} aria-hidden="true" />
      </Button>
    </div>
  );
}
