/** How a run ended or what it waits for, where that is worth a row: stopped, failed, waiting for a person. */

import { Settings, Square } from "lucide-react";
import { useMay } from "../app/rights.ts";
import type { ErrorCode } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { inputWord } from "../rail/run-standing.ts";
import type { RunCard as RunRecord } from "../stream/cards.ts";
import { Button } from "../ui/Button.tsx";
import { Chip } from "../ui/Chip.tsx";
import card from "./Card.module.css";
import { Problem } from "./Problem.tsx";
import css from "./RunCard.module.css";

/** Failures that the bot's settings may cure. */
const OF_SETTINGS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["model_unavailable", "model_key_refused"]);

export interface RunActions {
  /** Sends the short message that makes a waiting run go on. */
  resume: (text: string) => void;
  openBotSettings: () => void;
}

function Waiting({ record, actions }: { record: RunRecord; actions: RunActions }) {
  const t = useText();
  const { run } = record;
  const may = useMay("chat");
  const input = run.state === "waiting_input";
  const word = input
    ? inputWord(t, may)
    : run.state === "waiting_approval"
      ? t.waitingApproval
      : t.waitingTakeover;
  return (
    <div className={`${card.card} ${css.waiting}`} role="group" aria-label={word} data-card="waiting">
      <div className={css.question}>
        <Chip tone={run.state === "waiting_approval" ? "attention" : "waiting"}>{word}</Chip>
        <p>
          {run.question?.text ||
            (run.error ? t.errors[run.error.code].advice : t.errors.rounds_exhausted.advice)}
        </p>
        {input && may && (
          <Button look="primary" onClick={() => actions.resume(t.continueMessage)}>
            {t.continueRun}
          </Button>
        )}
      </div>
    </div>
  );
}

export function RunCard({ record, actions }: { record: RunRecord; actions: RunActions }) {
  const t = useText();
  const manages = useMay("manage");
  const { run } = record;
  if (run.state === "stopped") {
    return (
      <p className={card.line} data-card="run-stopped">
        <Square size={13} aria-hidden="true" />
        {t.runStopped}
      </p>
    );
  }
  if (run.state !== "failed") return <Waiting record={record} actions={actions} />;
  const problem = run.error ?? { code: "internal" as const, message: run.reason ?? t.runFailed };
  return (
    <div className={`${card.card} ${css.failed}`} data-card="run-failed">
      <Problem problem={problem}>
        {OF_SETTINGS.has(problem.code) && manages && (
          <Button onClick={actions.openBotSettings}>
            <Settings size={15} aria-hidden="true" />
            {t.botSettings}
          </Button>
        )}
      </Problem>
    </div>
  );
}
