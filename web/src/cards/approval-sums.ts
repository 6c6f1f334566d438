/**
 * What the chosen lines of an intent come to, counted as the server counts: positions and margins add up through
 * the batch, and a reduce-only order takes no more than there is. Money is decimal text, never a binary number.
 */
import type { Intent, IntentLine } from "../contracts.ts";

export interface Sums {
  readonly notional: string;
  readonly fee: string;
  readonly margin: string;
  /** Line number → the position if it and all chosen lines before it fill whole. Only chosen lines are in it. */
  readonly positions: ReadonlyMap<number, string>;
  /** Lines by which the margins are over what is available. */
  readonly overBalance: ReadonlySet<number>;
}

/** Digits behind the point that are kept: two factors of the venue have 16 at the most. */
const PLACES = 24;
const ONE = 10n ** BigInt(PLACES);
/** Significant digits of a margin. */
const SHOWN = 12;

function fixed(text: string): bigint {
  const [, sign, whole, part = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? ["", "", "0"];
  const value = BigInt(whole + part.slice(0, PLACES).padEnd(PLACES, "0"));
  return sign === "-" ? -value : value;
}

function plain(value: bigint): string {
  const digits = size(value)
    .toString()
    .padStart(PLACES + 1, "0");
  const part = digits.slice(-PLACES).replace(/0+$/, "");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -PLACES)}${part === "" ? "" : `.${part}`}`;
}

const size = (value: bigint) => (value < 0n ? -value : value);
const least = (a: bigint, b: bigint) => (a < b ? a : b);

/** A quotient to so many significant digits, halves to the even one. */
function divided(value: bigint, by: bigint): bigint {
  const drop = Math.max(0, (value / by).toString().length - SHOWN);
  const unit = 10n ** BigInt(drop);
  const [whole, rest] = [value / (by * unit), value % (by * unit)];
  const half = 2n * rest - by * unit;
  const up = half > 0n || (half === 0n && whole % 2n === 1n);
  return (up ? whole + 1n : whole) * unit;
}

/** By how much an order changes a position that stands at `held`. */
function change(line: IntentLine, held: bigint): bigint {
  const signed = line.side === "buy" ? fixed(line.size) : -fixed(line.size);
  if (!line.reduce_only) return signed;
  if (held === 0n || held > 0n === signed > 0n) return 0n;
  const most = least(size(held), size(signed));
  return signed > 0n ? most : -most;
}

function marginOf(line: IntentLine, before: bigint, after: bigint): bigint {
  const leverage = BigInt(line.leverage ?? 0);
  // One that was stored before lines told their leverage.
  if (leverage === 0n) return fixed(line.margin);
  const growth = size(after) - size(before);
  return growth <= 0n ? 0n : divided((growth * fixed(line.price)) / ONE, leverage);
}

export function sumsOf(intent: Intent, chosen: ReadonlySet<number>): Sums {
  const available = fixed(intent.totals.available);
  const held = new Map<string, bigint>();
  const positions = new Map<number, string>();
  const overBalance = new Set<number>();
  let [notional, fee, margin] = [0n, 0n, 0n];
  for (const line of intent.lines) {
    const before = held.get(line.symbol) ?? fixed(line.position);
    held.set(line.symbol, before);
    if (!chosen.has(line.n)) continue;
    const after = intent.kind === "cancel" ? before : before + change(line, before);
    held.set(line.symbol, after);
    positions.set(line.n, plain(after));
    notional += fixed(line.notional);
    fee += fixed(line.fee);
    margin += marginOf(line, before, after);
    if (margin > available) overBalance.add(line.n);
  }
  return { notional: plain(notional), fee: plain(fee), margin: plain(margin), positions, overBalance };
}

/** The lines that went ahead, or may; all where none did. */
export function goingAhead(intent: Intent): ReadonlySet<number> {
  const declined = new Set(intent.outcomes.filter(({ state }) => state === "declined").map(({ n }) => n));
  const left = intent.lines.filter(({ n }) => !declined.has(n));
  return new Set((left.length === 0 ? intent.lines : left).map(({ n }) => n));
}
