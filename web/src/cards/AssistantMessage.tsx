/** What the bot says. Markdown comes with a chunk of its own; until it is there the text stands as it is. */

import clsx from "clsx";
import { lazy, memo, useMemo } from "react";
import { useText } from "../i18n/text.ts";
import type { AssistantCard } from "../stream/cards.ts";
import { LazyPart } from "../ui/LazyPart.tsx";
import css from "./MessageCard.module.css";
import { MessageTools } from "./MessageTools.tsx";
import { markdownBlocks } from "./markdown-blocks.ts";
import type { MessageActions } from "./UserMessage.tsx";

const Markdown = lazy(() => import("./Markdown.tsx"));

const Block = memo(function Block({ text }: { text: string }) {
  const plain = <p className={css.plain}>{text}</p>;
  return (
    <LazyPart fallback={plain} instead={plain}>
      <Markdown text={text} />
    </LazyPart>
  );
});

interface AssistantMessageProps {
  record: AssistantCard;
  actions: Pick<MessageActions, "quote">;
}

export function AssistantMessage({ record, actions }: AssistantMessageProps) {
  const t = useText();
  const text = record.from > 0 ? `… ${record.text}` : record.text;
  const blocks = useMemo(() => (record.done ? [text] : markdownBlocks(text)), [text, record.done]);
  return (
    <div
      className={clsx(css.assistant, !record.done && css.writing)}
      data-card="assistant"
      data-done={record.done}
    >
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end
        <Block key={index} text={block} />
      ))}
      {record.ended !== null && (
        <p className={css.state}>{record.ended === "length" ? t.answerCut : t.answerDeclined}</p>
      )}
      {record.done && (
        <span className={css.tools}>
          <MessageTools text={record.text} quote={actions.quote} />
        </span>
      )}
    </div>
  );
}
