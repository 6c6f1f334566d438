/** Asking the server for something a part of the page shows, again whenever it is told to. */
import { useCallback, useEffect, useState } from "react";
import { problemOf } from "../api/http.ts";
import type { Problem } from "../contracts.ts";

export type Trouble = Problem | "unreachable" | null;

export interface Asked<T> {
  readonly found: T | null;
  readonly trouble: Trouble;
  /** Ask again; what was found stays until there is an answer. */
  readonly again: () => void;
}

/** `look` has to be the same function as long as it asks for the same. */
export function useAsked<T>(look: () => Promise<T>): Asked<T> {
  const [found, setFound] = useState<{ look: () => Promise<T>; answer: T } | null>(null);
  const [trouble, setTrouble] = useState<Trouble>(null);
  const [times, setTimes] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: being asked again is a reason
  useEffect(() => {
    let stale = false;
    setTrouble(null);
    look().then(
      (answer) => !stale && setFound({ look, answer }),
      (reason: unknown) => !stale && setTrouble(problemOf(reason)),
    );
    return () => {
      stale = true;
    };
  }, [look, times]);
  const again = useCallback(() => setTimes((before) => before + 1), []);
  return { found: found?.look === look ? found.answer : null, trouble, again };
}
