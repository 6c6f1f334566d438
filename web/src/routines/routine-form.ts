/**
 * What a person enters about a routine, and what of it is sent. Text fields stay text until they are sent. The
 * limits are the server's; it checks them again.
 */
import type { Routine, RoutineSettings, TradingRules } from "../contracts.ts";
import type { Dictionary } from "../i18n/text.ts";

export type Schedule = RoutineSettings["schedule"];
export type Network = NonNullable<TradingRules["venues"]>[number];
export type Check = NonNullable<RoutineSettings["checks"]>[number];

export interface RoutineForm {
  readonly botId: string;
  readonly name: string;
  readonly prompt: string;
  readonly when: Schedule["kind"];
  readonly cron: string;
  readonly minutes: string;
  readonly at: string;
  readonly zone: string;
  readonly checks: readonly Check[];
  readonly overlap: "skip" | "queue";
  readonly computer: boolean;
  readonly orders: boolean;
  readonly network: Network;
  readonly symbols: string;
  readonly sides: "both" | "buy" | "sell";
  readonly anOrder: string;
  readonly aDay: string;
  readonly rounds: string;
  readonly runMinutes: string;
  readonly runCost: string;
  readonly monthCost: string;
  readonly failures: string;
}

export type RoutineFormErrors = Partial<Record<keyof RoutineForm, string>>;

const DOLLAR = 1_000_000;
export const NUMBERS = {
  minutes: 43_200,
  rounds: 200,
  runMinutes: 360,
  failures: 20,
} as const;
const COST_MAX = 1_000;
const AMOUNT = /^(0|[1-9][0-9]{0,11})(\.[0-9]{1,8})?$/;

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What `<input type="datetime-local">` shows, on the clock of this browser. */
function localTime(ms: number): string {
  const there = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return there.toISOString().slice(0, 16);
}

const listed = (entries: readonly string[] | undefined) => (entries ?? []).join(", ");
const split = (text: string) => text.split(/[,，\s]+/).filter((entry) => entry !== "");

export function emptyForm(botId: string, now: number): RoutineForm {
  return {
    botId,
    ...{ name: "", prompt: "", when: "cron", cron: "0 9 * * *", minutes: "60" },
    at: localTime(now + 3_600_000),
    zone: ownZone(),
    ...{ checks: [], overlap: "skip", computer: false, orders: false },
    ...{ network: "paper", symbols: "", sides: "both", anOrder: "100", aDay: "100" },
    ...{ rounds: "20", runMinutes: "15", runCost: "0.5", monthCost: "10", failures: "5" },
  };
}

function ordersOf(orders: TradingRules | undefined) {
  const sides = orders?.sides ?? [];
  return {
    orders: orders?.enabled ?? false,
    network: orders?.venues?.[0] ?? ("paper" as const),
    symbols: listed(orders?.symbols),
    sides: sides.length === 1 ? (sides[0] as "buy" | "sell") : ("both" as const),
    anOrder: orders?.notional_an_order ?? "0",
    aDay: orders?.notional_a_day ?? "0",
  };
}

export function formOf(routine: Routine, now: number): RoutineForm {
  const { settings } = routine;
  const { schedule, limits } = settings;
  const empty = emptyForm(routine.bot_id, now);
  return {
    ...empty,
    name: settings.name,
    prompt: settings.prompt,
    when: schedule.kind,
    ...(schedule.kind === "cron" ? { cron: schedule.expression } : {}),
    ...(schedule.kind === "every" ? { minutes: String(schedule.minutes) } : {}),
    ...(schedule.kind === "once" ? { at: localTime(schedule.at_ms) } : {}),
    zone: settings.zone ?? "UTC",
    checks: settings.checks ?? [],
    overlap: settings.overlap ?? "skip",
    computer: settings.computer ?? false,
    ...(settings.orders?.enabled ? ordersOf(settings.orders) : {}),
    rounds: String(limits?.rounds ?? empty.rounds),
    runMinutes: String(limits?.minutes ?? empty.runMinutes),
    runCost: limits ? String((limits.run_microdollars ?? 0) / DOLLAR) : empty.runCost,
    monthCost: limits ? String((limits.month_microdollars ?? 0) / DOLLAR) : empty.monthCost,
    failures: String(limits?.failures ?? empty.failures),
  };
}

export function scheduleOf(form: RoutineForm): Schedule {
  if (form.when === "cron") return { kind: "cron", expression: form.cron.trim() };
  if (form.when === "every") return { kind: "every", minutes: Number(form.minutes) };
  return { kind: "once", at_ms: new Date(form.at).getTime() };
}

function isWhole(text: string, most: number): boolean {
  const value = Number(text);
  return text.trim() !== "" && Number.isInteger(value) && value >= 1 && value <= most;
}

function isCost(text: string): boolean {
  const value = Number(text);
  return text.trim() !== "" && value * DOLLAR >= 1 && value <= COST_MAX;
}

/** Whether the server can be asked when this schedule comes. */
export function canPreview(form: RoutineForm): boolean {
  if (form.zone.trim() === "") return false;
  if (form.when === "every") return isWhole(form.minutes, NUMBERS.minutes);
  if (form.when === "once") return !Number.isNaN(new Date(form.at).getTime());
  return form.cron.trim() !== "";
}

export function errorsOf(form: RoutineForm, t: Dictionary): RoutineFormErrors {
  const errors: RoutineFormErrors = {};
  if (form.name.trim() === "") errors.name = t.routine.nameNeeded;
  if (form.prompt.trim() === "") errors.prompt = t.routine.promptNeeded;
  if (form.botId === "") errors.botId = t.routine.botNeeded;
  if (form.when === "every" && !isWhole(form.minutes, NUMBERS.minutes))
    errors.minutes = t.roundsNeeded(String(NUMBERS.minutes));
  for (const field of ["rounds", "runMinutes", "failures"] as const)
    if (!isWhole(form[field], NUMBERS[field])) errors[field] = t.roundsNeeded(String(NUMBERS[field]));
  for (const field of ["runCost", "monthCost"] as const)
    if (!isCost(form[field])) errors[field] = t.routine.costNeeded(String(COST_MAX));
  if (form.orders) {
    if (split(form.symbols).length === 0) errors.symbols = t.routine.symbolsNeeded;
    for (const field of ["anOrder", "aDay"] as const)
      if (!AMOUNT.test(form[field].trim())) errors[field] = t.routine.amountNeeded;
  }
  return errors;
}

function ordersBody(form: RoutineForm): TradingRules {
  if (!form.orders) return {};
  return {
    enabled: true,
    venues: [form.network],
    symbols: split(form.symbols).map((symbol) => symbol.toUpperCase()),
    sides: form.sides === "both" ? ["buy", "sell"] : [form.sides],
    notional_an_order: form.anOrder.trim(),
    notional_a_day: form.aDay.trim(),
  };
}

export function bodyOf(form: RoutineForm): RoutineSettings {
  return {
    name: form.name.trim(),
    prompt: form.prompt,
    schedule: scheduleOf(form),
    zone: form.zone.trim(),
    checks: [...form.checks],
    overlap: form.overlap,
    computer: form.computer,
    orders: ordersBody(form),
    limits: {
      rounds: Number(form.rounds),
      minutes: Number(form.runMinutes),
      run_microdollars: Math.round(Number(form.runCost) * DOLLAR),
      month_microdollars: Math.round(Number(form.monthCost) * DOLLAR),
      failures: Number(form.failures),
    },
  };
}

/** `$0.0042`, never a rounded nothing for something. */
export function dollars(microdollars: number, locale: string): string {
  const digits = microdollars !== 0 && microdollars < 10_000 ? 6 : 2;
  const style = { style: "currency", currency: "USD", maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(locale, style).format(microdollars / DOLLAR);
}
