/** What a `/` offers: what the page can do, and to a bot without a model the lines that it understands. */
import { COMMANDS, type CommandId, type Handlers } from "../app/commands.ts";
import type { Dictionary } from "../i18n/text.ts";

export interface PageCommand {
  readonly kind: "page";
  readonly id: CommandId;
  readonly word: string;
}

export interface LineCommand {
  readonly kind: "line";
  readonly word: string;
  readonly about: string;
}

export type SlashCommand = PageCommand | LineCommand;

export type LineWord = keyof Dictionary["lineCommands"];

/** The words of a bot without a model, as `durable_objects/bot_owner/models/manual.py` has them. */
export const LINE_WORDS: readonly LineWord[] = [
  ...(["read", "write", "edit", "export"] as const),
  ...(["markets", "account", "candles", "order", "orders", "cancel"] as const),
];

/** Those whose word begins so. The page's own count only where nothing else is written. */
export function slashCommands(
  query: string,
  first: boolean,
  manual: boolean,
  can: Handlers,
  t: Dictionary,
): SlashCommand[] {
  const lines = manual
    ? LINE_WORDS.map((word): LineCommand => ({ kind: "line", word, about: t.lineCommands[word] }))
    : [];
  const page = COMMANDS.flatMap(({ id, slash }): PageCommand[] =>
    slash === undefined || can[id] === undefined || !first ? [] : [{ kind: "page", id, word: slash }],
  );
  return [...lines, ...page].filter(({ word }) => word.startsWith(query.toLowerCase()));
}
