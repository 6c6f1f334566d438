/** The days that a person looks at, as dates of their own time zone: nothing here knows a clock's time. */

export type Period = "month" | "before" | "days30";

export interface Days {
  readonly first: string;
  readonly last: string;
}

const iso = (date: Date) => date.toISOString().slice(0, 10);

// Dates without a time are dates of UTC, so that no change of clocks moves them.
const dateOf = (day: string) => new Date(`${day}T00:00:00Z`);

export function today(now: number, zone: string): string {
  const parts = new Intl.DateTimeFormat("en", { timeZone: zone, dateStyle: "short", calendar: "iso8601" });
  const named = new Map(parts.formatToParts(now).map(({ type, value }) => [type, value]));
  const two = (name: Intl.DateTimeFormatPartTypes) => (named.get(name) ?? "").padStart(2, "0");
  const year = new Intl.DateTimeFormat("en", { timeZone: zone, year: "numeric" }).format(now);
  return `${year}-${two("month")}-${two("day")}`;
}

export function daysOf(period: Period, day: string): Days {
  const date = dateOf(day);
  const month = day.slice(0, 7);
  if (period === "month") return { first: `${month}-01`, last: day };
  if (period === "days30") {
    date.setUTCDate(date.getUTCDate() - 29);
    return { first: iso(date), last: day };
  }
  date.setUTCDate(0);
  const last = iso(date);
  return { first: `${last.slice(0, 7)}-01`, last };
}

/** Every day from the first to the last, so that one on which nothing was used has its place too. */
export function allDays({ first, last }: Days): string[] {
  const days: string[] = [];
  for (const date = dateOf(first); iso(date) <= last; date.setUTCDate(date.getUTCDate() + 1)) {
    days.push(iso(date));
  }
  return days;
}

export function dayName(day: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { timeZone: "UTC", month: "short", day: "numeric" }).format(
    dateOf(day),
  );
}
