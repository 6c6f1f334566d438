/** The commands of the computer, newest first: pages as they were asked for, and the newest one asked for again. */
import { useCallback, useEffect, useRef, useState } from "react";
import { getCommands } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import type { Problem, ShownCommand } from "../contracts.ts";

const BUSY_MS = 2_000;
const QUIET_MS = 10_000;

/** A newer answer about a command takes the place of the older one; the order stays that of their beginnings. */
export function joined(known: readonly ShownCommand[], page: readonly ShownCommand[]): ShownCommand[] {
  const all = new Map([...known, ...page].map((one) => [one.id, one]));
  return [...all.values()].sort((a, b) => b.started_ms - a.started_ms || (a.id < b.id ? 1 : -1));
}

export interface Commands {
  /** Null until something is known. */
  readonly items: readonly ShownCommand[] | null;
  readonly more: boolean;
  readonly problem: Problem | "unreachable" | null;
  readonly refresh: () => void;
  readonly older: () => void;
}

export function useCommands(busy: boolean): Commands {
  const [items, setItems] = useState<readonly ShownCommand[] | null>(null);
  const [more, setMore] = useState(false);
  const [problem, setProblem] = useState<Problem | "unreachable" | null>(null);
  const known = useRef(items);
  known.current = items;

  const ask = useCallback(async (before?: string) => {
    try {
      const page = await getCommands(before);
      // What the first page says of older ones holds only as long as nothing older was asked for.
      if (before !== undefined || known.current === null) setMore(page.more);
      setItems((had) => joined(had ?? [], page.items));
      setProblem(null);
    } catch (reason) {
      setProblem(problemOf(reason));
    }
  }, []);

  useEffect(() => {
    void ask();
    const look = () => document.visibilityState === "visible" && void ask();
    const timer = setInterval(look, busy ? BUSY_MS : QUIET_MS);
    return () => clearInterval(timer);
  }, [ask, busy]);

  const refresh = useCallback(() => void ask(), [ask]);
  const older = useCallback(() => void ask(known.current?.at(-1)?.id), [ask]);
  return { items, more, problem, refresh, older };
}
