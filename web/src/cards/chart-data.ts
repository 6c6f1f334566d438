/** The rows of a table as lines to draw: what stands below, and the columns that are numbers. */

export interface ChartData {
  /** Of each row: a number, a time in seconds, or its place. */
  readonly below: readonly number[];
  /** `time` for dates; `names` where the first column is words. */
  readonly kind: "number" | "time" | "place";
  readonly names: readonly string[];
  /** What the first column is called, where it stands below. */
  readonly over: string;
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}

const LINES_MAX = 6;
const DATE = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** `1,234.5`, `12 %`, `-1e3`; null for what is no number. */
export function numberOf(cell: string | undefined): number | null {
  const text = (cell ?? "").trim().replace(/%$/, "").trim();
  if (text === "" || !/^[-+]?[\d.,]+(e[-+]?\d+)?$/i.test(text)) return null;
  const value = Number(text.replaceAll(",", ""));
  return Number.isFinite(value) ? value : null;
}

function rising(values: readonly (number | null)[]): values is readonly number[] {
  return values.every((value, at) => value !== null && (at === 0 || value >= (values[at - 1] ?? 0)));
}

/** Null where no column is numbers, or there are too few rows for a line. */
export function chartData(head: readonly string[], rows: readonly (readonly string[])[]): ChartData | null {
  const column = (at: number) => rows.map((row) => numberOf(row[at]));
  const first = rows.map((row) => row[0]?.trim() ?? "");
  const numbers = column(0);
  const times = first.map((cell) => (DATE.test(cell) ? Date.parse(cell) / 1_000 : null));
  const kind = rising(times) ? "time" : rising(numbers) && head.length > 1 ? "number" : "place";
  const below = kind === "time" ? times : kind === "number" ? numbers : rows.map((_, at) => at);
  const words = kind === "place" && numbers.every((value) => value === null);
  const lines = head
    .map((name, at) => ({ name: name || String(at + 1), values: column(at), at }))
    .filter(({ at, values }) => (at > 0 || (kind === "place" && !words)) && mostly(values))
    .slice(0, LINES_MAX)
    .map(({ name, values }) => ({ name, values }));
  const over = kind !== "place" || words ? (head[0] ?? "") : "#";
  if (lines.length === 0 || rows.length < 2) return null;
  return { below: below as readonly number[], kind, names: words ? first : [], over, lines };
}

/** A gap or two is none the less a line. */
const mostly = (values: readonly (number | null)[]) =>
  values.filter((value) => value !== null).length > values.length / 2;
