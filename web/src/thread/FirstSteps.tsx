/** Three things to try, a click each. What a click sends is in the thread at once, and stays there as an example. */
import { ChartSpline, CircleCheck, type LucideIcon, ShieldCheck, SquareTerminal } from "lucide-react";
import { useStore } from "zustand";
import { leftOf, noteStep, takenSteps } from "../app/taken-steps.ts";
import { standing } from "../app/trading.ts";
import { useText } from "../i18n/text.ts";
import css from "./FirstSteps.module.css";
import { firstMessage, STEPS, type Step, standingOf } from "./first-steps.ts";

export const STEP_ICONS: Record<Step, LucideIcon> = {
  command: SquareTerminal,
  file: ChartSpline,
  order: ShieldCheck,
};

interface FirstStepsProps {
  manual: boolean;
  /** A step was taken and is not in a thread yet. */
  busy?: boolean;
  take: (text: string) => void;
}

export function FirstSteps({ manual, busy = false, take }: FirstStepsProps) {
  const t = useText();
  const trading = useStore(standing, (all) => all.trading);
  const taken = useStore(takenSteps, (all) => all.taken);
  // Whoever has seen all is not told what they have done.
  const ticked = leftOf(taken).length > 0 ? taken : [];
  return (
    <div className={css.frame}>
      <ul className={css.steps} aria-label={t.firstStepsTitle}>
        {STEPS.map((step) => {
          const state = standingOf(step, trading);
          if (state === "hidden") return null;
          const Icon = STEP_ICONS[step];
          return (
            <li key={step}>
              <button
                type="button"
                className={css.step}
                data-step={step}
                disabled={busy || state === "later"}
                onClick={() => {
                  noteStep(step);
                  take(firstMessage(step, manual, t));
                }}
              >
                {ticked.includes(step) ? (
                  <CircleCheck className={css.done} size={20} role="img" aria-label={t.stepDone} />
                ) : (
                  <Icon size={20} aria-hidden="true" />
                )}
                <strong>{t.firstSteps[step].label}</strong>
                <span>{t.firstSteps[step].about}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
