/**
 * A run as steps that can be gone through: each call of a tool, and how the files that the run touched stood after it.
 *
 * It is made of the thread's cards, which are the record; the conversation itself is never rewound.
 */
import type { CallCard, Card, FileCard } from "../stream/cards.ts";
import { isCall } from "../stream/cards.ts";

export interface TimelineRun {
  readonly id: string;
  /** What the person wrote that it began with; empty where nobody did. */
  readonly text: string;
  readonly steps: readonly CallCard[];
}

/** The runs of a thread in which something was called, the newest first. */
export function runsOf(cards: Iterable<Card>): TimelineRun[] {
  const texts = new Map<string, string>();
  const steps = new Map<string, CallCard[]>();
  for (const card of cards) {
    if (card.kind === "user" && card.runId !== null && !texts.has(card.runId)) {
      texts.set(card.runId, card.routine?.name ?? card.text);
    }
    // A question to the person shows nothing of the computer.
    if (!isCall(card) || card.kind === "question") continue;
    const known = steps.get(card.runId);
    if (known === undefined) steps.set(card.runId, [card]);
    else known.push(card);
  }
  return [...steps].map(([id, calls]) => ({ id, text: texts.get(id) ?? "", steps: calls })).reverse();
}

export interface TouchedFile {
  readonly path: string;
  /** The call that changed it last, up to the step. */
  readonly card: FileCard;
  /** Lines added and removed by the run so far; null where a change could not be compared. */
  readonly added: number | null;
  readonly removed: number | null;
  readonly changes: number;
}

const lineCount = (text: string) => (text === "" ? 0 : text.replace(/\n$/, "").split("\n").length);

/** The files that the run had changed when a step had ended, the last one changed first. */
export function filesAt(steps: readonly CallCard[], step: number): TouchedFile[] {
  const files = new Map<string, TouchedFile>();
  for (const card of steps.slice(0, step)) {
    if (card.kind !== "file" || card.action === "read" || card.change === null) continue;
    const { path, removed = 0, compared = true, created = false } = card.change;
    // Of a new file there is no diff: it is all new.
    const added = created ? lineCount(card.content) : (card.change.added ?? 0);
    const before = files.get(path) ?? { added: 0, removed: 0, changes: 0 };
    files.delete(path);
    files.set(path, {
      path,
      card,
      added: compared && before.added !== null ? before.added + added : null,
      removed: compared && before.removed !== null ? before.removed + removed : null,
      changes: before.changes + 1,
    });
  }
  return [...files.values()].reverse();
}

/** The step that an address names: the last one where it names none that there is. */
export function stepOf(text: string | null, count: number): number {
  const step = Number(text ?? count);
  return Number.isInteger(step) && step >= 1 && step <= count ? step : count;
}
