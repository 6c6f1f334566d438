import { describe, expect, it } from "vitest";
import { chartData, numberOf } from "../../src/cards/chart-data.ts";

describe("a number", () => {
  it.each([
    ["1,234.5", 1234.5],
    [" -3 ", -3],
    ["12%", 12],
    ["1e-3", 0.001],
  ])("is read from %s", (cell, value) => {
    expect(numberOf(cell)).toBe(value);
  });

  it.each(["", "-", "n/a", "1.2.3", "0x10", "Infinity", undefined])("is not read from %s", (cell) => {
    expect(numberOf(cell)).toBeNull();
  });
});

describe("a chart", () => {
  it("stands over words by their place", () => {
    const data = chartData(
      ["market", "mean", "note"],
      [
        ["BTC", "1", "a"],
        ["ETH", "", "b"],
        ["SOL", "3", "c"],
      ],
    );
    expect(data).toEqual({
      below: [0, 1, 2],
      kind: "place",
      names: ["BTC", "ETH", "SOL"],
      over: "market",
      lines: [{ name: "mean", values: [1, null, 3] }],
    });
  });

  it("stands over times and over numbers that rise", () => {
    const times = chartData(
      ["day", "x"],
      [
        ["2026-01-01", "1"],
        ["2026-01-02", "2"],
      ],
    );
    expect(times?.kind).toBe("time");
    expect(times?.below).toEqual([1_767_225_600, 1_767_312_000]);
    const numbers = chartData(
      ["n", "x"],
      [
        ["1", "5"],
        ["3", "4"],
      ],
    );
    expect([numbers?.kind, numbers?.below, numbers?.lines.length]).toEqual(["number", [1, 3], 1]);
    const unsorted = chartData(
      ["n", "x"],
      [
        ["3", "5"],
        ["1", "4"],
      ],
    );
    expect([unsorted?.kind, unsorted?.lines.length]).toEqual(["place", 2]);
  });

  it("is none of words alone, nor of one row", () => {
    expect(
      chartData(
        ["a", "b"],
        [
          ["x", "y"],
          ["z", "w"],
        ],
      ),
    ).toBeNull();
    expect(chartData(["a", "b"], [["x", "1"]])).toBeNull();
  });
});
