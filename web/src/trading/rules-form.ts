/** The owner's rules as a form, as the API takes them, and as a sentence that says what they let through. */
import type { TradingRules } from "../contracts.ts";
import type { Locale } from "../i18n/locale.ts";
import type { Dictionary } from "../i18n/text.ts";

export const NETWORKS = ["paper", "testnet", "mainnet"] as const;
export type Network = (typeof NETWORKS)[number];

export interface RulesForm {
  readonly enabled: boolean;
  readonly venues: readonly Network[];
  readonly symbols: string;
  readonly buy: boolean;
  readonly sell: boolean;
  readonly anOrder: string;
  readonly aDay: string;
  readonly sizes: string;
  readonly from: string;
  readonly until: string;
  readonly reduceOnlyExempt: boolean;
}

export type RulesErrors = Partial<
  Record<"venues" | "symbols" | "sides" | "anOrder" | "aDay" | "sizes" | "until", string>
>;

const AMOUNT = /^(0|[1-9][0-9]{0,11})(\.[0-9]{1,8})?$/;
const GROUPED = /^[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?$/;
const BETWEEN = /[\s,，、;；]+/;

/** A typed amount as the API takes it; only commas between groups of three are understood. */
export function amountOf(typed: string): string | null {
  const text = typed.trim();
  const plain = GROUPED.test(text) ? text.replaceAll(",", "") : text;
  return AMOUNT.test(plain) && /[1-9]/.test(plain) ? plain : null;
}

const words = (typed: string) => typed.split(BETWEEN).filter((word) => word !== "");
/** No market is written in small letters alone; some are in both, such as kPEPE. */
const market = (word: string) => (word === word.toLowerCase() ? word.toUpperCase() : word);

/** Market and size by turns, or null where it is not that. */
export function sizesOf(typed: string): Record<string, string> | null {
  const found = words(typed);
  const sizes: Record<string, string> = {};
  for (let at = 0; at < found.length; at += 2) {
    const size = amountOf(found[at + 1] ?? "");
    if (size === null) return null;
    sizes[market(found[at] ?? "")] = size;
  }
  return sizes;
}

export function formOf(rules: TradingRules): RulesForm {
  const [from = 0, until = 24] = rules.hours ?? [];
  const sides = rules.sides ?? [];
  const amount = (text: string | undefined) => (text === undefined || text === "0" ? "" : text);
  return {
    enabled: rules.enabled ?? false,
    venues: rules.venues ?? [],
    symbols: (rules.symbols ?? []).join(" "),
    buy: sides.includes("buy"),
    sell: sides.includes("sell"),
    anOrder: amount(rules.notional_an_order),
    aDay: amount(rules.notional_a_day),
    sizes: Object.entries(rules.sizes ?? {})
      .map(([symbol, size]) => `${symbol} ${size}`)
      .join(" "),
    from: String(from),
    until: String(until),
    reduceOnlyExempt: rules.reduce_only_exempt ?? false,
  };
}

/** What is missing before the rules can be switched on; rules that are off may be unfinished, but not illegible. */
export function errorsOf(form: RulesForm, t: Dictionary): RulesErrors {
  const errors: RulesErrors = {};
  if (sizesOf(form.sizes) === null) errors.sizes = t.trading.sizesNeeded;
  for (const name of ["anOrder", "aDay"] as const) {
    const empty = form[name].trim() === "" && !form.enabled;
    if (!empty && amountOf(form[name]) === null) errors[name] = t.trading.amountNeeded;
  }
  if (!form.enabled) return errors;
  if (form.venues.length === 0) errors.venues = t.trading.venuesNeeded;
  if (words(form.symbols).length === 0) errors.symbols = t.trading.symbolsNeeded;
  if (!form.buy && !form.sell) errors.sides = t.trading.sidesNeeded;
  if (form.from === form.until) errors.until = t.trading.hoursNeeded;
  return errors;
}

/** The rules of a form without errors. */
export function rulesOf(form: RulesForm): TradingRules {
  return {
    enabled: form.enabled,
    venues: NETWORKS.filter((network) => form.venues.includes(network)),
    symbols: [...new Set(words(form.symbols).map(market))],
    sides: [...(form.buy ? (["buy"] as const) : []), ...(form.sell ? (["sell"] as const) : [])],
    sizes: sizesOf(form.sizes) ?? {},
    notional_an_order: amountOf(form.anOrder) ?? "0",
    notional_a_day: amountOf(form.aDay) ?? "0",
    reduce_only_exempt: form.reduceOnlyExempt,
    hours: [Number(form.from), Number(form.until)],
  };
}

/** `2000.5` as `2,000.5`, digit by digit: no number of money becomes a float. */
export function grouped(amount: string): string {
  const [whole = "", part] = amount.split(".");
  const digits = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? digits : `${digits}.${part}`;
}

export const hour = (value: number) => `${String(value).padStart(2, "0")}:00`;

/** What rules let through, in words; null where that is nothing. */
export function sentenceOf(rules: TradingRules, zone: string, t: Dictionary, locale: Locale): string | null {
  const { symbols = [], sides = [], venues = [], sizes = {}, hours = [0, 24] } = rules;
  if (!rules.enabled || symbols.length === 0 || sides.length === 0 || venues.length === 0) return null;
  const between = locale === "en" ? ", " : "，";
  const [from = 0, until = 24] = hours;
  const whole = from === 0 && until === 24;
  const names = t.trading;
  const side = sides.length > 1 ? names.buysAndSells : sides[0] === "buy" ? names.buysOnly : names.sellsOnly;
  const parts = [
    symbols.join(locale === "en" ? ", " : "、"),
    side,
    names.upTo(grouped(rules.notional_an_order ?? "0"), grouped(rules.notional_a_day ?? "0")),
    ...symbols.flatMap((symbol) => {
      const size = sizes[symbol];
      return size === undefined ? [] : [names.upToSize(size, symbol)];
    }),
    ...(rules.reduce_only_exempt ? [names.reduceOnlyFree] : []),
    ...(whole ? [] : [names.betweenHours(`${hour(from)}–${hour(until)}`, zone)]),
    names.onVenues(venues.map((network) => names.networks[network]).join(locale === "en" ? ", " : "、")),
  ];
  return names.without(parts.join(between));
}
