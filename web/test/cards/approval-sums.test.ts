import { describe, expect, it } from "vitest";
import { goingAhead, sumsOf } from "../../src/cards/approval-sums.ts";
import type { Intent, IntentLine } from "../../src/contracts.ts";

type Row = [
  Pick<IntentLine, "symbol" | "side" | "size" | "price" | "reduce_only">,
  Pick<IntentLine, "notional" | "fee" | "margin" | "leverage" | "position" | "position_after">,
];
const order = (symbol: string, side: "buy" | "sell", size: string, price: string, reduce_only = false) => ({
  ...{ symbol, side, size, price, reduce_only },
});
const worth = (
  notional: string,
  fee: string,
  margin: string,
  leverage: number,
  position: string,
  position_after: string,
) => ({ notional, fee, margin, leverage, position, position_after });

/** A batch as the server (`proposal.lines_of`) completes it, of somebody who holds 4 SOL and is short of 0.002 BTC. */
const ROWS: Row[] = [
  [order("BTC", "buy", "0.01", "60010"), worth("600.1", "0.270045", "9.0015", 40, "-0.002", "0.008")],
  [
    order("ETH", "sell", "1.2345", "3001.7"),
    worth("3705.59865", "1.6675193925", "1235.19955", 3, "0", "-1.2345"),
  ],
  [order("BTC", "sell", "0.03", "59990"), worth("1799.7", "0.809865", "20.9965", 40, "0.008", "-0.022")],
  [order("SOL", "sell", "9", "149.37", true), worth("1344.33", "0.6049485", "0", 7, "4", "0")],
  [
    order("SOL", "buy", "0.77777", "151.23"),
    worth("117.6221571", "0.052929970695", "16.8031653", 7, "0", "0.77777"),
  ],
  [order("BTC", "buy", "0.005", "60000", true), worth("300", "0.135", "0", 40, "-0.022", "-0.017")],
];

const intent = (part: object = {}) =>
  ({
    kind: "place",
    lines: ROWS.map(([what, means], index) => ({ n: index + 1, ...what, ...means })),
    totals: { available: "1500" },
    outcomes: ROWS.map((_, index) => ({ n: index + 1, state: "proposed" })),
    ...part,
  }) as unknown as Intent;

/** Lines that are chosen, and what the server says of a batch of those alone. */
const BATCHES: [number[], string, string, string, string[]][] = [
  [
    [1, 2, 3, 4, 5, 6],
    ...(["7867.3508071", "3.540307863195", "1282.0007153"] as const),
    ["0.008", "-1.2345", "-0.022", "0", "0.77777", "-0.017"],
  ],
  [
    [2, 3, 5],
    ...(["5622.9208071", "2.530314363195", "1296.9952153"] as const),
    ["-1.2345", "-0.032", "4.77777"],
  ],
  [[3, 4, 6], "3444.03", "1.5498135", "44.9925", ["-0.032", "0", "-0.027"]],
  [[1], "600.1", "0.270045", "9.0015", ["0.008"]],
  [[], "0", "0", "0", []],
];

describe("the sums of chosen lines", () => {
  it.each(BATCHES)("of %j are the server's", (chosen, notional, fee, margin, positions) => {
    const sums = sumsOf(intent(), new Set(chosen));
    expect(sums).toMatchObject({ notional, fee, margin });
    expect([...sums.positions]).toEqual(chosen.map((n, index) => [n, positions[index]]));
    expect(sums.overBalance.size).toBe(0);
  });

  it("say which of the chosen lines the balance does not reach for", () => {
    const poor = intent({ totals: { available: "1265" } });
    expect([...sumsOf(poor, new Set([1, 2, 3, 4, 5, 6])).overBalance]).toEqual([3, 4, 5, 6]);
    expect([...sumsOf(poor, new Set([1, 3, 5])).overBalance]).toEqual([]);
    expect([...sumsOf(intent({ totals: { available: "9.0015" } }), new Set([1])).overBalance]).toEqual([]);
  });

  it("keep a position that is only cancelled for", () => {
    const cancel = intent({ kind: "cancel" });
    expect(sumsOf(cancel, new Set([1])).positions.get(1)).toBe("-0.002");
  });

  it("take the margin as it was shown where the leverage is not known", () => {
    const { lines } = intent();
    const old = intent({ lines: lines.map(({ leverage: _, ...line }) => line) });
    expect(sumsOf(old, new Set([2, 5])).margin).toBe("1252.0027153");
  });

  it("of margins have twelve digits, the half to the even one", () => {
    const one = (price: string, leverage: number) => ({
      ...intent().lines[0],
      ...{ n: 1, size: "1", position: "0", price, leverage },
    });
    const margin = (price: string, leverage: number) =>
      sumsOf(intent({ lines: [one(price, leverage)] }), new Set([1])).margin;
    expect(margin("100", 3)).toBe("33.3333333333");
    expect(margin("200", 3)).toBe("66.6666666667");
    expect(margin("1000000000001", 2)).toBe("500000000000");
    expect(margin("1000000000003", 2)).toBe("500000000002");
  });

  it("are of the lines that went ahead once it is decided", () => {
    const outcomes = ROWS.map((_, index) => ({ n: index + 1, state: index < 2 ? "filled" : "declined" }));
    expect([...goingAhead(intent({ outcomes }))]).toEqual([1, 2]);
    const none = outcomes.map((one) => ({ ...one, state: "declined" }));
    expect(goingAhead(intent({ outcomes: none })).size).toBe(ROWS.length);
  });
});
