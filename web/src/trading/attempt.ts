/** One change at a time, with what came of it: saved, or a problem to show. */
import { useState } from "react";
import { problemOf } from "../api/http.ts";
import type { Problem } from "../contracts.ts";

export interface Attempt {
  readonly busy: boolean;
  readonly saved: boolean;
  readonly problem: Problem | "unreachable" | null;
  readonly attempt: (action: () => Promise<void>) => Promise<boolean>;
}

export function useAttempt(): Attempt {
  const [busy, setBusy] = useState(false);
  const [saved, setSaved] = useState(false);
  const [problem, setProblem] = useState<Problem | "unreachable" | null>(null);
  const attempt = async (action: () => Promise<void>): Promise<boolean> => {
    setBusy(true);
    setSaved(false);
    setProblem(null);
    try {
      await action();
      setSaved(true);
      return true;
    } catch (reason) {
      setProblem(problemOf(reason));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, saved, problem, attempt };
}
