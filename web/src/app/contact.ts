/**
 * Whether this page hears what goes on in the thread in view. While it does not, things are shown as they were last
 * seen: no clock counts on, and what would not reach the server is not offered.
 */
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { mayPass } from "../api/http.ts";
import type { ThreadSession } from "../stream/thread-session.ts";
import { useNow } from "../ui/clock.ts";

export interface Contact {
  /** When it was last known how things are, by this machine's clock; null while the stream tells. */
  readonly lostMs: number | null;
  /** Whether the server answered when it was last asked for a stream. */
  readonly answers: boolean;
}

export const contact = createStore<Contact>(() => ({ lostMs: null, answers: true }));

/** Shorter outages are not worth a word. */
const LOST_AFTER_MS = 3_000;

// What turns on the page stands still meanwhile (`Chip.module.css`).
contact.subscribe(({ lostMs }) =>
  document.documentElement.toggleAttribute("data-out-of-touch", lostMs !== null),
);

/** Follows the stream of the thread in view; returns what ends that. What is lost stays lost until a stream is live. */
export function followContact(session: Pick<ThreadSession, "state" | "onState">): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    if (session.state() === "live") {
      clearTimeout(timer);
      timer = undefined;
      contact.setState({ lostMs: null, answers: true });
    } else if (contact.getState().lostMs === null) {
      timer ??= setTimeout(() => contact.setState({ lostMs: Date.now() }), LOST_AFTER_MS);
    }
  };
  const unfollow = session.onState(look);
  look();
  return () => {
    unfollow();
    clearTimeout(timer);
  };
}

/** Asks what every stream begins with; no answer in time is one as well. */
export async function noteAnswer<T>(ask: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => contact.setState({ answers: false }), LOST_AFTER_MS);
  try {
    const answer = await ask();
    contact.setState({ answers: true });
    return answer;
  } catch (reason) {
    contact.setState({ answers: !mayPass(reason) });
    throw reason;
  } finally {
    clearTimeout(timer);
  }
}

/** The time for what is under way: each second while `ticking`, and at rest while nobody knows whether it still is. */
export function useLiveNow(ticking: boolean): number {
  const lostMs = useStore(contact, (all) => all.lostMs);
  const now = useNow(ticking && lostMs === null);
  return lostMs ?? now;
}

export const useInTouch = (): boolean => useStore(contact, (all) => all.lostMs === null);

/** Whether a request to stop something would be heard. A server whose stream alone is missing hears it. */
export const useReaches = (): boolean => useStore(contact, (all) => all.lostMs === null || all.answers);
