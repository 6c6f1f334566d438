/** One try at a time, with what came of it: a problem of the server's, or what the person did with their browser. */
import { useState } from "react";
import { problemOf } from "../api/http.ts";
import type { Problem } from "../contracts.ts";

/** The person closed the browser's question, had no passkey to give, or took too long. */
export class Declined extends Error {}

/** The device that was chosen holds a passkey of this person already. */
export class AlreadyThere extends Error {}

export type Trouble = Problem | "unreachable" | "declined" | "already-there";

export interface Tries {
  readonly busy: boolean;
  readonly trouble: Trouble | null;
  readonly attempt: (work: () => Promise<void>) => Promise<void>;
}

function troubleOf(reason: unknown): Trouble {
  if (reason instanceof Declined) return "declined";
  if (reason instanceof AlreadyThere) return "already-there";
  return problemOf(reason);
}

export function useTries(): Tries {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const attempt = async (work: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    setTrouble(null);
    try {
      await work();
    } catch (reason) {
      setTrouble(troubleOf(reason));
    } finally {
      setBusy(false);
    }
  };
  return { busy, trouble, attempt };
}
