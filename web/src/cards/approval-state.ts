/** What an approval card says and allows, as plain values. */
import type { Intent, IntentLine, LineOutcome, SwitchState } from "../contracts.ts";
import type { Dictionary } from "../i18n/text.ts";
import type { Tone } from "../ui/Chip.tsx";
import { visible } from "../ui/format.ts";
import { toolName } from "./tool-name.ts";

const TONES: Record<Intent["state"], Tone> = {
  pending: "attention",
  approved: "running",
  submitting: "running",
  unknown: "attention",
  executed: "finished",
  partially_executed: "attention",
  rejected_by_venue: "failed",
  declined: "stopped",
  expired: "stopped",
  withdrawn: "stopped",
};

export const toneOf = (intent: Intent): Tone => TONES[intent.state];

/** `m:ss` until the approval expires, or null where its time has run out. */
export function timeLeft(expiresMs: number, nowMs: number): string | null {
  const seconds = Math.ceil((expiresMs - nowMs) / 1000);
  if (seconds <= 0) return null;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * The calls through which text from outside came into the conversation, one text a call: what it was, in words, what
 * was run or read, and who answered. The last two come from the model or from outside.
 */
export function causesOf(intent: Intent, t: Dictionary): string[] {
  return (intent.source.causes ?? [])
    .filter((cause) => cause.kind === "call")
    .map(({ tool, what, hosts }) =>
      [toolName(tool ?? "", t), ...[what ?? "", ...(hosts ?? [])].map(visible)].filter(Boolean).join(" · "),
    );
}

export function outcomeOf(intent: Intent, line: IntentLine): LineOutcome | undefined {
  return intent.outcomes.find((outcome) => outcome.n === line.n);
}

/** Whether something came of the lines that is worth a column. */
export const hasOutcomes = (intent: Intent): boolean =>
  intent.outcomes.some((outcome) => outcome.state !== "proposed");

/** Whether the kill switch keeps back what is chosen; the server would refuse it. Cancelling is always possible. */
export function keptBack(state: SwitchState, intent: Intent, chosen: ReadonlySet<number>): boolean {
  if (state === "active" || intent.kind === "cancel") return false;
  if (state === "halted") return true;
  return intent.lines.some((line) => chosen.has(line.n) && !line.reduce_only);
}
