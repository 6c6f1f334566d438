/** Notes how far a thread was read, and says from which time on its cards are new to whoever looks. */
import { useEffect, useRef, useState } from "react";
import { noteSeen, seenOf } from "../app/seen.ts";
import type { ThreadSession } from "../stream/thread-session.ts";

/** The time of the newest card that is recorded. */
function newest(session: ThreadSession): number {
  return session.store.lastRecorded()?.at ?? 0;
}

/**
 * `atEnd`: the end of the thread is in view. The time stays as it was when the thread was opened, or when the page was
 * left for another, until the person writes; null where there is none.
 */
export function useReading(session: ThreadSession, order: readonly string[], atEnd: boolean): number | null {
  const [mark, setMark] = useState(() => seenOf(session.threadId)?.at ?? null);
  const looking = useRef(atEnd);
  looking.current = atEnd;

  useEffect(() => {
    const note = () => {
      if (looking.current) noteSeen(session.threadId, session.cursor, newest(session));
    };
    const noteInView = () => {
      if (document.visibilityState === "visible") note();
    };
    const turn = () => {
      if (document.visibilityState === "visible") return note();
      setMark(seenOf(session.threadId)?.at ?? null);
    };
    noteInView();
    const stops = [session.store.onFacts(noteInView), session.store.onOrder(noteInView)];
    document.addEventListener("visibilitychange", turn);
    return () => {
      noteInView();
      for (const stop of stops) stop();
      document.removeEventListener("visibilitychange", turn);
    };
  }, [session]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: coming to the end is having seen it
  useEffect(() => {
    if (atEnd && document.visibilityState === "visible") {
      noteSeen(session.threadId, session.cursor, newest(session));
    }
  }, [atEnd]);

  // Whoever writes has read what was there.
  const last = order.at(-1);
  useEffect(() => {
    const card = last === undefined ? undefined : session.store.card(last);
    if (card?.kind === "user" && card.send !== null) setMark(null);
  }, [last, session]);
  return mark;
}

/** The first card that came after the mark and is not the person's own. */
export function firstNew(
  session: ThreadSession,
  order: readonly string[],
  mark: number | null,
): string | null {
  if (mark === null) return null;
  let found: string | null = null;
  for (let at = order.length - 1; at >= 0; at--) {
    const key = order[at] as string;
    const card = session.store.card(key);
    if (card === undefined || card.at <= mark) break;
    if (card.kind !== "user") found = key;
  }
  return found;
}
