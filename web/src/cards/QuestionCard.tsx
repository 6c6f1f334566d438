/** What the bot needs of the person: its question, the ways to answer, and afterwards the question alone. */

import { CircleHelp } from "lucide-react";
import { useMay } from "../app/rights.ts";
import { type Dictionary, useText } from "../i18n/text.ts";
import { inputWord } from "../rail/run-standing.ts";
import type { QuestionCard as QuestionRecord } from "../stream/cards.ts";
import { Button } from "../ui/Button.tsx";
import { Chip } from "../ui/Chip.tsx";
import { visible, visibleText } from "../ui/format.ts";
import card from "./Card.module.css";
import { Problem } from "./Problem.tsx";
import css from "./RunCard.module.css";
import type { RunActions } from "./RunCard.tsx";

/** The messages that a button can send; everything else is written below. */
function answers({ question }: QuestionRecord, t: Dictionary): readonly [label: string, message: string][] {
  if (question.kind === "approval")
    return [
      [t.approve, t.approveMessage],
      [t.decline, t.declineMessage],
    ];
  if (question.kind === "choice") return (question.choices ?? []).map((choice) => [choice, choice]);
  return [[t.continueRun, t.continueMessage]];
}

export function QuestionCard({ record, actions }: { record: QuestionRecord; actions: RunActions }) {
  const t = useText();
  const { question, open, problem } = record;
  const may = useMay("chat");
  const word = inputWord(t, may);
  const state = open ? "waiting" : "question";
  return (
    <div
      className={`${card.card} ${open ? css.waiting : ""}`}
      role="group"
      aria-label={open ? word : t.botAsked}
      data-card={state}
    >
      <div className={css.question}>
        {open ? <Chip tone="waiting">{word}</Chip> : <CircleHelp size={16} aria-label={t.botAsked} />}
        <p>
          <bdi>{visibleText(question.text ?? "")}</bdi>
        </p>
        {open && may && (
          <div className={css.answers}>
            {answers(record, t).map(([label, message], index) => (
              <Button
                key={label}
                look={index === 0 && question.kind !== "choice" ? "primary" : "outline"}
                onClick={() => actions.resume(message)}
              >
                <bdi>{visible(label)}</bdi>
              </Button>
            ))}
          </div>
        )}
      </div>
      {open && may && (
        <p className={css.hint}>{question.kind === "file" ? t.answerWithFile : t.answerBelow}</p>
      )}
      {problem !== null && <Problem problem={problem} />}
    </div>
  );
}
