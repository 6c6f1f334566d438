/** How a thread's newest run stands, as a tone and a word for the list. */
import type { RunState } from "../contracts.ts";
import type { Dictionary } from "../i18n/text.ts";
import type { Tone } from "../ui/Chip.tsx";

/** What stands where a run waits for an answer. Whoever may not give one is not told that it waits for them. */
export const inputWord = (t: Dictionary, mayAnswer: boolean): string =>
  mayAnswer ? t.waitingInput : t.waitingAnswer;

export function runStanding(
  state: RunState,
  t: Dictionary,
  mayAnswer: boolean,
): { tone: Tone; word: string } {
  switch (state) {
    case "queued":
      return { tone: "running", word: t.stateQueued };
    case "running":
      return { tone: "running", word: t.stateRunning };
    case "waiting_approval":
      return { tone: "attention", word: t.waitingApproval };
    case "waiting_input":
      return { tone: "waiting", word: inputWord(t, mayAnswer) };
    case "waiting_takeover":
      return { tone: "waiting", word: t.waitingTakeover };
    case "failed":
      return { tone: "failed", word: t.stateFailed };
    case "stopped":
      return { tone: "stopped", word: t.stateStopped };
    case "done":
      return { tone: "finished", word: t.stateDone };
  }
}
