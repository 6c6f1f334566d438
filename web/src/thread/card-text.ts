/** What of a card can be found by its words: what a person sees of it, and what it shows when it is opened. */
import { type Sentences, sentenceOf } from "../i18n/reasons/reason.ts";
import type { Card } from "../stream/cards.ts";

function cardText(card: Card, sentences: Sentences): string {
  switch (card.kind) {
    case "user":
      return [card.text, ...card.uploads.map((upload) => upload.name)].join("\n");
    case "assistant":
    case "reasoning":
      return card.text;
    case "terminal":
      return [card.command, card.result?.output ?? card.tail.text].join("\n");
    case "file":
      return [card.path, card.text].join("\n");
    case "artifact":
      return [card.path, card.artifact?.name ?? ""].join("\n");
    case "tool":
      return [card.tool, JSON.stringify(card.arguments), card.text].join("\n");
    case "question":
      return [card.question.text ?? "", ...(card.question.choices ?? [])].join("\n");
    case "approval":
      return card.intent.lines.map((line) => JSON.stringify(line)).join("\n");
    case "run":
      return sentenceOf(card.run.error?.details, sentences) ?? card.run.error?.message ?? "";
    case "notice":
      return card.notice.text;
    case "status":
    case "opaque":
      return "";
  }
}

/** The keys of the cards that have the words as they were typed, in either case; in the order of the thread. */
export function withText(
  order: readonly string[],
  card: (key: string) => Card | undefined,
  query: string,
  sentences: Sentences,
): string[] {
  const wanted = query.toLowerCase();
  if (wanted.trim() === "") return [];
  return order.filter((key) => {
    const found = card(key);
    return found !== undefined && cardText(found, sentences).toLowerCase().includes(wanted);
  });
}
