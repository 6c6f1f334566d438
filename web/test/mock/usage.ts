/** What the pretended owner has used: the same each time, and its views add up as the real ones do. */
import type { Allowance, PriceTable, UsageReport, UsageRow } from "../../src/contracts.ts";

const PRICES: PriceTable = {
  computer_micro_an_hour: 74_000,
  models: [{ provider: "anthropic", model: "*", input: 3, output: 15, cached: 0.3, cache_written: 3.75 }],
};
const MONTHLY = 20_000_000;
const KEYS: Record<UsageReport["by"], readonly (readonly [string, string])[]> = {
  day: [],
  bot: [
    ["bot_1", "Quill"],
    ["bot_2", "A bot with a name that is rather long for a table on a telephone"],
  ],
  thread: [
    ["thr_1", "Funding rates of the last week"],
    ["thr_2", "资金费率：过去七天的均值与波动"],
    ["thr_3", ""],
  ],
  routine: [
    ["chat", ""],
    ["routine:rtn_1", ""],
  ],
  command: [
    ["", ""],
    ["call_1", "python analyse.py --days 7"],
    ["call_2", "make -j4"],
  ],
  model: [
    ["", ""],
    ["anthropic:claude", ""],
  ],
};

const total = (rows: readonly UsageRow[]): UsageRow => {
  const sum = (of: (row: UsageRow) => number) => rows.reduce((all, row) => all + of(row), 0);
  return {
    key: "",
    label: "",
    micro: sum((row) => row.micro),
    computer_micro: sum((row) => row.computer_micro),
    computer_ms: sum((row) => row.computer_ms),
    model_micro: sum((row) => row.model_micro),
    input_tokens: sum((row) => row.input_tokens),
    output_tokens: sum((row) => row.output_tokens),
  };
};

function byDay(first: string, last: string): UsageRow[] {
  const rows: UsageRow[] = [];
  for (let at = Date.parse(last); at >= Date.parse(first); at -= 86_400_000) {
    const day = new Date(at);
    const key = day.toISOString().slice(0, 10);
    const weight = (day.getUTCDate() * 7) % 11;
    if (weight === 0) continue;
    const computer_ms = weight * 433_007;
    const computer_micro = Math.floor((74_000 * computer_ms) / 3_600_000);
    const [input_tokens, output_tokens] = [weight * 9_173, weight * 611];
    const model_micro = input_tokens * 3 + output_tokens * 15;
    const micro = computer_micro + model_micro;
    rows.push({
      key,
      label: "",
      micro,
      computer_micro,
      computer_ms,
      model_micro,
      input_tokens,
      output_tokens,
    });
  }
  return rows;
}

/** The whole in unequal parts: the first takes half of what is left, and the last all of it. */
function shared(whole: UsageRow, keys: readonly (readonly [string, string])[]): UsageRow[] {
  let left = whole;
  return keys.map(([key, label], place) => {
    const part = (value: number) => (place === keys.length - 1 ? value : Math.floor(value / 2));
    const computer_micro = part(left.computer_micro);
    const model_micro = part(left.model_micro);
    const row: UsageRow = {
      ...{ key, label, computer_micro, model_micro, micro: computer_micro + model_micro },
      computer_ms: part(left.computer_ms),
      input_tokens: part(left.input_tokens),
      output_tokens: part(left.output_tokens),
    };
    left = {
      ...left,
      micro: left.micro - row.micro,
      computer_micro: left.computer_micro - computer_micro,
      model_micro: left.model_micro - model_micro,
      computer_ms: left.computer_ms - row.computer_ms,
      input_tokens: left.input_tokens - row.input_tokens,
      output_tokens: left.output_tokens - row.output_tokens,
    };
    return row;
  });
}

export function usageOf(query: URLSearchParams): UsageReport {
  const by = (query.get("by") ?? "day") as UsageReport["by"];
  const [first_day, last_day] = [query.get("first_day") ?? "", query.get("last_day") ?? ""];
  const days = byDay(first_day, last_day);
  const whole = total(days);
  const rows = by === "day" ? days : shared(whole, KEYS[by]);
  return { by, first_day, last_day, time_zone: "UTC", rows, others: null, total: whole, prices: PRICES };
}

export function allowanceOf(now: number): Allowance {
  const day = new Date(now).toISOString().slice(0, 10);
  const spent = total(byDay(`${day.slice(0, 7)}-01`, day)).micro;
  const date = new Date(now);
  return {
    balance_micro: MONTHLY - spent,
    month: day.slice(0, 7),
    granted_micro: MONTHLY,
    spent_micro: spent,
    once_micro: 0,
    monthly_micro: MONTHLY,
    resets_ms: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1),
    time_zone: "UTC",
    exhausted: spent >= MONTHLY,
    prices: PRICES,
  };
}
