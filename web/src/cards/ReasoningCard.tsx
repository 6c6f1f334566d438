/** What the model said to itself, folded: it is a way to an answer and not one. Text, never Markdown. */
import { Lightbulb } from "lucide-react";
import { useText } from "../i18n/text.ts";
import type { ReasoningCard as ReasoningRecord } from "../stream/cards.ts";
import card from "./Card.module.css";
import css from "./ReasoningCard.module.css";

export function ReasoningCard({ record }: { record: ReasoningRecord }) {
  const t = useText();
  return (
    <details className={css.reasoning} data-card="reasoning" data-done={record.done}>
      <summary className={card.line}>
        <Lightbulb size={13} aria-hidden="true" />
        {record.done ? t.reasoned : t.reasoning}
      </summary>
      <p className={css.text}>
        {record.from > 0 && "… "}
        {record.text}
        {record.cut && " …"}
      </p>
    </details>
  );
}
