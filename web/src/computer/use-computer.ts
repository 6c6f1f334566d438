/** The computer as this page knows it: from the thread's stream, and asked for now and then, since other threads use it too. */
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { getComputer } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import type { Computer } from "../contracts.ts";
import type { ThreadSession } from "../stream/thread-session.ts";

const REFRESH_MS = 5_000;

export interface KnownComputer {
  /** Null until something is known. */
  readonly computer: Computer | null;
  /** Something that was done to it has been answered with this. */
  readonly changed: (computer: Computer) => void;
}

/** Looking wakes nothing. */
export function useComputer(session: ThreadSession): KnownComputer {
  const told = useSyncExternalStore(session.store.onFacts, session.store.facts).computer;
  const [asked, setAsked] = useState<Computer | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of state is a reason to ask again
  useEffect(() => {
    let stale = false;
    const ask = () =>
      getComputer().then(
        (answer) => !stale && setAsked(answer),
        (reason: unknown) => problemOf(reason),
      );
    void ask();
    const timer = setInterval(() => document.visibilityState === "visible" && void ask(), REFRESH_MS);
    return () => {
      stale = true;
      clearInterval(timer);
    };
  }, [told?.state]);

  const computer = asked !== null && asked.since_ms >= (told?.since_ms ?? 0) ? asked : told;
  return { computer, changed: useCallback((answer) => setAsked(answer), []) };
}
