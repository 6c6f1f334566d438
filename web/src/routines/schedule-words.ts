/** A routine's schedule and outcomes in words. */
import type { Routine, RoutineFiring } from "../contracts.ts";
import type { Dictionary } from "../i18n/text.ts";
import { runStanding } from "../rail/run-standing.ts";
import type { Tone } from "../ui/Chip.tsx";
import { dateAndTime } from "../ui/format.ts";

export function scheduleWords(routine: Routine, t: Dictionary, locale: string): string {
  const { schedule, zone } = routine.settings;
  if (schedule.kind === "every") return t.routine.everyMinutes(String(schedule.minutes));
  if (schedule.kind === "once") return t.routine.onceAt(dateAndTime(schedule.at_ms, locale));
  return `${schedule.expression} · ${zone ?? "UTC"}`;
}

export function stateOf(routine: Routine, t: Dictionary): { tone: Tone; word: string } {
  if (routine.state === "active") return { tone: "finished", word: t.routine.active };
  if (routine.state === "finished") return { tone: "stopped", word: t.routine.finished };
  if (routine.paused_by === "failures") return { tone: "failed", word: t.routine.pausedByFailures };
  return { tone: "stopped", word: t.routine.paused };
}

export function outcomeOf(
  firing: RoutineFiring,
  t: Dictionary,
  mayAnswer: boolean,
): { tone: Tone; word: string } {
  if (firing.outcome === "started") {
    return firing.run ? runStanding(firing.run.state, t, mayAnswer) : { tone: "finished", word: t.stateDone };
  }
  const tone = firing.outcome === "check_failed" ? "failed" : "stopped";
  const times = (firing.count ?? 1) > 1 ? ` ×${firing.count}` : "";
  return { tone, word: `${t.routine.outcomes[firing.outcome]}${times}` };
}

/** A formatter of a zone; in UTC, as it then says, where the server knows a zone that this browser does not. */
function inZone(zone: string, locale: string, style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale, { ...style, timeZone: zone });
  } catch {
    return new Intl.DateTimeFormat(locale, { ...style, timeZone: "UTC" });
  }
}

/** A time to come in a zone, with its weekday, and with its year where that is not this one there. */
export function nextTime(ms: number, now: number, zone: string, locale: string): string {
  const [then, today] = [ms, now].map((time) => inZone(zone, "en", { year: "numeric" }).format(time));
  return inZone(zone, locale, {
    ...(then === today ? {} : { year: "numeric" }),
    weekday: "short",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hour12: false,
    timeZoneName: "short",
  }).format(ms);
}
