/** How a command stands, as a tone and a word. One table for the card, the rail and the announcer. */
import type { Dictionary } from "../i18n/text.ts";
import type { TerminalCard } from "../stream/cards.ts";
import type { Tone } from "../ui/Chip.tsx";
import { elapsed } from "../ui/format.ts";

const SIGNALS: Record<number, string> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  4: "SIGILL",
  6: "SIGABRT",
  7: "SIGBUS",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  15: "SIGTERM",
  24: "SIGXCPU",
  25: "SIGXFSZ",
};

export interface CommandStanding {
  readonly tone: Tone;
  readonly word: string;
  readonly over: boolean;
}

export function signalName(signal: number): string {
  return SIGNALS[signal] ?? `signal ${signal}`;
}

/** `heard`: whether the page would know if it had ended. */
export function standing(card: TerminalCard, now: number, t: Dictionary, heard = true): CommandStanding {
  const { result } = card;
  const time = elapsed(now - card.startedMs);
  const running = {
    tone: "running",
    word: heard ? t.running(time) : t.lastSeenRunning(time),
    over: false,
  } as const;
  const over = (tone: Tone, word: string) => ({ tone, word, over: true });
  if (result === null) {
    if (card.abandoned) return over("attention", t.lost);
    if (card.finishedMs !== null) return over("failed", t.notRun);
    return running;
  }
  if (result.workspace_full && result.state === "signalled") return over("failed", t.workspaceFull);
  if (result.oom) return over("failed", t.outOfMemory);
  switch (result.state) {
    case "timed_out":
      return over("failed", t.timedOut);
    case "stopped":
      return result.banned ? over("failed", t.stoppedByBan) : over("stopped", t.stoppedByYou);
    case "lost":
      return over("attention", t.lost);
    case "signalled":
      return over("failed", t.endedBySignal(signalName(result.signal ?? 0)));
    case "exited":
      return result.exit_code === 0
        ? over("finished", t.finished)
        : over("failed", t.failedExit(result.exit_code ?? -1));
    default:
      return running;
  }
}
