/** Numbers, sizes and times as people read them. */

const UNITS = ["B", "KB", "MB", "GB"] as const;

export function bytes(size: number): string {
  let [value, unit] = [size, 0];
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** `42 %` or `42%`, as the language has it. Only what is whole is 100. */
export function percent(share: number, locale: string): string {
  const whole = Math.floor(share * 100) / 100;
  return new Intl.NumberFormat(locale, { style: "percent" }).format(whole);
}

/** `0:12`, `1:04:09`: a clock that is running. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** `0.3 s`, `42 s`, `3 min 20 s`, `2 h 5 min`: how long something took. */
export function took(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`;
  if (ms >= 3_600_000) return `${Math.floor(ms / 3_600_000)} h ${Math.floor((ms % 3_600_000) / 60_000)} min`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function count(value: number, locale: string): string {
  return new Intl.NumberFormat(locale).format(value);
}

/** Micro-dollars as dollars: `$0.004111`. With six digits nothing is rounded. */
export function dollars(micro: number, locale: string, digits: 2 | 3 | 6): string {
  // All money of the page is of one currency, so its short sign is enough, and fits a telephone.
  const form = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" } as const;
  const length = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(locale, { ...form, ...length }).format(micro / 1_000_000);
}

/** The date of a point of time in a zone that is not the reader's perhaps. */
export function dateIn(ms: number, zone: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: zone }).format(ms);
}

// Neither control characters nor those that turn the direction of writing can be seen, and both can deceive.
const BEYOND = "\\u0080-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060\\u2066-\\u2069\\ufeff";
const UNSEEN = new RegExp(`[\\p{Cc}${BEYOND}]`, "gu");
const UNSEEN_BEYOND = new RegExp(`[${BEYOND}]`, "gu");

/** A name as it is, with a sign or a number for what would not be seen. */
export function visible(name: string): string {
  return name.replace(UNSEEN, (character) => (character === "\n" ? "↵" : numbered(character)));
}

/** `⟨202E⟩` */
function numbered(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** Output or a source text in the same way; its ASCII control characters are the business of whoever draws it. */
export function visibleOutput(text: string): string {
  return text.replace(UNSEEN_BEYOND, numbered);
}

/** A text of several lines in the same way; its line ends and tabs stay. */
export function visibleText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/[^\n\t]+/g, visible);
}

const DAY = 86_400_000;

/** The time today, the weekday this week, else the date. */
export function moment(ms: number, now: number, locale: string): string {
  const [then, today] = [new Date(ms), new Date(now)];
  if (then.toDateString() === today.toDateString()) {
    return new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hour12: false }).format(
      then,
    );
  }
  if (now - ms < 6 * DAY) return new Intl.DateTimeFormat(locale, { weekday: "short" }).format(then);
  const year = then.getFullYear() === today.getFullYear() ? {} : { year: "numeric" as const };
  return new Intl.DateTimeFormat(locale, { month: "short", day: "numeric", ...year }).format(then);
}

/** To the second: what happens in a run happens in seconds. */
export function timeOfDay(ms: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: "medium", hour12: false }).format(new Date(ms));
}

/** A point of time that stays true however late it is read. */
export function dateAndTime(ms: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", hour12: false }).format(
    new Date(ms),
  );
}
