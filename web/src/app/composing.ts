/** What another part of the page wants in a thread's composer: a quotation, a file, words that were dictated. */
import { createStore } from "zustand/vanilla";
import { drafts } from "./storage.ts";

export interface Insertion {
  readonly threadId: string;
  readonly text: string;
}

/** The newest; the thread's composer takes it as soon as it is there. */
export const insertion = createStore<{ readonly wanted: Insertion | null }>(() => ({ wanted: null }));

/** Chinese and its signs stand without blanks between words. */
const UNSPACED = /[\p{Script=Han}\u3000-\u303f\uff00-\uffef]/u;

function between(draft: string, text: string): string {
  if (text.includes("\n")) return draft.endsWith("\n") ? "" : "\n";
  const touching = draft.slice(-1) + text.slice(0, 1);
  return /\s$/.test(draft) || UNSPACED.test(touching) ? "" : " ";
}

/** A draft with the text behind it: on a line of its own where it brings lines, else as another word. */
export const joined = (draft: string, text: string): string =>
  draft === "" ? text : draft + between(draft, text) + text;

/** Puts the text behind the thread's draft, whether its composer is on the page or not. */
export function insert(threadId: string, text: string): void {
  drafts.set(threadId, joined(drafts.get(threadId), text));
  insertion.setState({ wanted: { threadId, text } });
}

/** A quotation as Markdown, with an empty line behind it for the answer. */
export const quoted = (text: string): string =>
  `${text
    .trim()
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n")}\n\n`;
