/** The approval card in each of its states. */
import type { Intent, IntentLine, LineOutcome } from "../contracts.ts";
import type { Card } from "../stream/cards.ts";

const NOW = Date.now();

/** Two orders of a conversation that has used the computer. */
function intent(part: Partial<Intent>): Intent {
  const line = {
    asset: 0,
    order_id: "0x0",
    tif: "Ioc",
    reduce_only: false,
    position: "0",
    leverage: 40,
  } as const;
  return {
    id: "int_1",
    thread_id: "t",
    kind: "place",
    venue: "paper",
    network: "paper",
    account: "paper",
    lines: [
      {
        ...{ ...line, n: 1, symbol: "BTC", side: "buy", size: "0.01", price: "60010", notional: "600.1" },
        ...{ fee: "0.27", margin: "15.0025", mid: "60000", distance: "0.02", position_after: "0.01" },
      },
      {
        ...{ ...line, n: 2, symbol: "ETH", side: "sell", size: "40", price: "2800", notional: "112000" },
        ...{ fee: "50.4", margin: "11200", mid: "3000", distance: "-6.67", position_after: "-40" },
        ...{ leverage: 10, warnings: ["far_from_mid", "over_balance"] },
      },
    ],
    totals: { notional: "112600.1", fee: "50.67", margin: "11215.0025", available: "10000" },
    source: {
      ...{ run_id: "run", tool_call_id: "call_1", origin: "chat", tainted: true },
      causes: [
        { kind: "call", id: "c", tool: "computer__exec", what: "python3 a.py", hosts: ["packages.invalid"] },
      ],
    },
    ...{ created_ms: NOW, expires_ms: NOW + 900_000, updated_ms: NOW, digest: "0".repeat(64) },
    state: "pending",
    outcomes: [
      { n: 1, state: "proposed" },
      { n: 2, state: "proposed" },
    ],
    ...part,
  };
}

const both = (first: Omit<LineOutcome, "n">, second: Omit<LineOutcome, "n">): LineOutcome[] => [
  { n: 1, ...first },
  { n: 2, ...second },
];
const sent = both({ state: "not_sent" }, { state: "not_sent" });

const LONG: IntentLine[] = Array.from({ length: 20 }, (_, index) => ({
  ...{ n: index + 1, order_id: "0x0", asset: 0, symbol: "SOL", side: "sell", size: "2", price: "120.55" },
  ...{ tif: "Gtc", reduce_only: index % 2 === 0, notional: "241.1", fee: "0.1", margin: "0", mid: "120" },
  ...{ distance: "0.46", position: String(-40 - 2 * index), position_after: String(-42 - 2 * index) },
  warnings: index === 17 ? ["over_limit", "illiquid"] : [],
}));

const POST_ONLY: IntentLine = {
  ...{ n: 1, order_id: "0x0", asset: 0, symbol: "BTC", side: "buy", size: "0.01", price: "60100" },
  ...{ tif: "Alo", reduce_only: false, notional: "601", fee: "0.09", margin: "15.025", leverage: 40 },
  ...{ mid: "60000", distance: "0.17", position: "0", position_after: "0.01", warnings: ["would_match"] },
};

const EARLIER = { run_id: "run", tool_call_id: "call_1", origin: "routine", tainted: true } as const;

const STATES: [string, Partial<Intent>][] = [
  ["i1", { state: "pending" }],
  [
    "i2",
    {
      state: "partially_executed",
      by: "owner",
      outcomes: both(
        { state: "filled", filled: "0.01", price: "60001" },
        { state: "rejected", error: "Insufficient margin to place order. asset=1" },
      ),
    },
  ],
  [
    "i-again",
    {
      ...{ replaces: "int_0", asked_again: "price_moved", network: "mainnet", venue: "hyperliquid" },
      ...{ account: "0x0d1d9635d0640821d15e323ac8adadfa9c111414" },
      source: { ...EARLIER, causes: [{ kind: "run", id: "run_0" }] },
    },
  ],
  [
    "i-rule",
    {
      ...{ replaces: "int_0", asked_again: "rules_changed", lines: [POST_ONLY] },
      ...{ totals: { notional: "601", fee: "0.09", margin: "15.025", available: "10000" } },
      source: { ...EARLIER, origin: "chat", tainted: false },
    },
  ],
  ["i-batch", { lines: LONG, outcomes: LONG.map(({ n }) => ({ n, state: "proposed" })), network: "testnet" }],
  ["i-cancel", { kind: "cancel", source: { ...EARLIER, origin: "chat", tainted: false } }],
  ["i-late", { expires_ms: NOW - 1_000 }],
  ["i-approved", { state: "approved", by: "owner" }],
  ["i-sending", { state: "submitting", by: "rule", source: { ...EARLIER, tainted: false } }],
  [
    "i-unknown",
    { state: "unknown", by: "owner", outcomes: both({ state: "unknown" }, { state: "declined" }) },
  ],
  [
    "i-done",
    {
      ...{ state: "executed", by: "rule", source: { ...EARLIER, origin: "chat", tainted: false } },
      outcomes: both({ state: "resting" }, { state: "partly_filled", filled: "12", price: "2801.5" }),
    },
  ],
  [
    "i-refused",
    {
      ...{ state: "rejected_by_venue", by: "owner" },
      outcomes: both({ state: "not_placed" }, { state: "rejected", error: "Price too far from oracle" }),
    },
  ],
  [
    "i-declined",
    {
      ...{ state: "declined", by: "owner", reason: "Too large. Half of it, please." },
      outcomes: both({ state: "declined" }, { state: "declined" }),
    },
  ],
  ["i-expired", { state: "expired", reason: "expired", outcomes: sent }],
  ["i-moved", { state: "withdrawn", reason: "price_moved", outcomes: sent }],
  ["i-stopped", { state: "withdrawn", reason: "stopped", outcomes: sent }],
  ["i-kept", { state: "withdrawn", by: "owner", reason: "halted", outcomes: sent }],
];

export const APPROVALS: Card[] = STATES.map(([key, part]) => ({
  ...{ kind: "approval", key, at: NOW },
  intent: intent(part),
}));
