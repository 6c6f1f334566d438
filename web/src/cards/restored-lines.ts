/** The sentences of a restore card, in the order in which they matter to whoever left files behind. */
import type { Restored } from "../contracts.ts";
import type { Dictionary } from "../i18n/text.ts";

export function restoredLines(restored: Restored, t: Dictionary, time: (ms: number) => string): string[] {
  const lines: string[] = [];
  if (restored.lost_ms) lines.push(t.restoredStopped(time(restored.lost_ms)));
  for (const reason of new Set(restored.unusable)) lines.push(t.restoredUnusable[reason]);
  lines.push(files(restored, t, time));
  if (restored.source === "backup") lines.push(t.restoredElsewhere);
  if (restored.missing) lines.push(t.restoredMissing(restored.missing));
  return lines;
}

function files({ source, as_of_ms, lost_ms, older }: Restored, t: Dictionary, time: (ms: number) => string) {
  if (!as_of_ms) return t.restoredFresh;
  const from = source === "backup" ? t.restoredFromBackup : t.restoredFromSnapshot;
  return from(time(as_of_ms)) + (lost_ms || older ? t.restoredGone : "");
}
