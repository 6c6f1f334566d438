/**
 * How far this browser's person has read each thread. What is newer is marked: in the list of threads by a dot, in the
 * thread by a line. It stays in this browser, and what is older than its first visit counts as read.
 */
import { createStore } from "zustand/vanilla";
import type { Thread } from "../contracts.ts";
import { forgetful } from "./storage.ts";

export interface Seen {
  /** The newest event of the thread that was in view, and the newest card's time. */
  readonly seq: number;
  readonly at: number;
}

const SEEN = "berth.seen.";
const SINCE = "berth.since";

export function seenIn(stored: string | null): Seen | null {
  const [seq, at] = (stored ?? "").split(":").map(Number);
  return Number.isSafeInteger(seq) && Number.isSafeInteger(at) ? ({ seq, at } as Seen) : null;
}

function since(): number {
  const known = Number(forgetful.get(SINCE));
  if (known > 0) return known;
  const now = Date.now();
  forgetful.set(SINCE, String(now));
  return now;
}

interface Reading {
  readonly since: number;
  readonly threads: Readonly<Record<string, Seen>>;
}

export const reading = createStore<Reading>(() => ({
  since: since(),
  threads: Object.fromEntries(
    forgetful.keys(SEEN).flatMap((key) => {
      const seen = seenIn(forgetful.get(key));
      return seen === null ? [] : [[key.slice(SEEN.length), seen]];
    }),
  ),
}));

export const seenOf = (threadId: string): Seen | null => reading.getState().threads[threadId] ?? null;

/** Somebody looks at the end of the thread. Never goes back: an older tab may say less. */
export function noteSeen(threadId: string, seq: number, at: number): void {
  const known = seenOf(threadId);
  if (known !== null && known.seq >= seq && known.at >= at) return;
  const seen = { seq: Math.max(seq, known?.seq ?? 0), at: Math.max(at, known?.at ?? 0) };
  forgetful.set(SEEN + threadId, `${seen.seq}:${seen.at}`);
  reading.setState(({ threads }) => ({ threads: { ...threads, [threadId]: seen } }));
}

export function forgetSeen(threadId: string): void {
  forgetful.remove(SEEN + threadId);
}

/** Whether something happened in the thread that nobody has seen here. */
export function isUnread(thread: Thread, { since: first, threads }: Reading): boolean {
  const seen = threads[thread.id];
  if (seen !== undefined) return thread.head_seq > seen.seq;
  return thread.head_seq > 0 && thread.updated_ms > first;
}
