import { describe, expect, it } from "vitest";
import {
  bytes,
  count,
  dateIn,
  dollars,
  elapsed,
  moment,
  percent,
  took,
  visible,
  visibleOutput,
  visibleText,
} from "../../src/ui/format.ts";

const table = <T>(of: (value: number) => T, rows: [number, T][]) => {
  it.each(rows)("of %i is %s", (value, text) => {
    expect(of(value)).toBe(text);
  });
};

describe("bytes", () =>
  table(bytes, [
    [0, "0 B"],
    [1_023, "1023 B"],
    [1_024, "1.0 KB"],
    [18_344, "17.9 KB"],
    [250 * 1_024, "250 KB"],
    [25 * 1_024 * 1_024, "25.0 MB"],
    [5 * 1_024 ** 3, "5.0 GB"],
  ]));

describe("percent", () =>
  table(
    (share) => percent(share, "en"),
    [
      [0, "0%"],
      [0.429, "42%"],
      [0.9999, "99%"],
      [1, "100%"],
    ],
  ));

describe("elapsed", () =>
  table(elapsed, [
    [-5, "0:00"],
    [12_900, "0:12"],
    [64_000, "1:04"],
    [3_849_000, "1:04:09"],
  ]));

describe("took", () =>
  table(took, [
    [38, "38 ms"],
    [3_240, "3.2 s"],
    [42_400, "42 s"],
    [200_000, "3 min 20 s"],
    [7_529_000, "2 h 5 min"],
  ]));

describe("moment", () => {
  const now = new Date(2026, 10, 30, 12).getTime();
  it.each([
    [new Date(2026, 10, 30, 9, 5), "09:05"],
    [new Date(2026, 10, 27, 9), "Fri"],
    [new Date(2026, 8, 2), "Sep 2"],
    [new Date(2025, 8, 2), "Sep 2, 2025"],
  ])("of %s", (then, text) => {
    expect(moment(then.getTime(), now, "en")).toBe(text);
  });
});

it("groups digits", () => {
  expect(count(1_284, "en")).toBe("1,284");
});

describe("visible", () => {
  it.each([
    ["plain 图 مرحبا 👩‍👩‍👧.txt", "plain 图 مرحبا 👩‍👩‍👧.txt"],
    ["two\nlines\t", "two↵lines⟨0009⟩"],
    ["\u007f\u0085", "⟨007F⟩⟨0085⟩"],
    ["fdp\u202egnp.exe", "fdp⟨202E⟩gnp.exe"],
  ])("of %j is %j", (name, shown) => {
    expect(visible(name)).toBe(shown);
  });

  it("keeps the lines of a text", () => {
    expect(visibleText("one\r\n\ttwo\u202e\n\n\u200bthree\r")).toBe("one\n\ttwo⟨202E⟩\n\n⟨200B⟩three⟨000D⟩");
    expect(visibleText("")).toBe("");
  });
});

describe("dollars", () => {
  it.each([
    [4_111, "en", 6, "$0.004111"],
    [4_111, "zh-Hans", 6, "$0.004111"],
    [4_111, "en", 2, "$0.00"],
    [-1_500_000, "en", 2, "-$1.50"],
    [74_000, "en", 3, "$0.074"],
    [9_007_199_254_740, "en", 6, "$9,007,199.254740"],
  ] as const)("of %i in %s with %i digits is %s", (micro, locale, digits, text) => {
    expect(dollars(micro, locale, digits)).toBe(text);
  });
});

describe("dateIn", () => {
  it("is the date that the zone has", () => {
    expect(dateIn(Date.UTC(2026, 10, 30, 23), "Europe/Berlin", "en")).toBe("Dec 1, 2026");
    expect(dateIn(Date.UTC(2026, 10, 30, 23), "UTC", "en")).toBe("Nov 30, 2026");
  });
});

describe("visibleOutput", () => {
  it("shows what cannot be seen, and leaves colours, tabs, line ends and joined pictures", () => {
    expect(visibleOutput("\u001b[31ma\u202e\u2066b\u200b\ufeff\u009b\u001b[0m\t\r\n")).toBe(
      "\u001b[31ma⟨202E⟩⟨2066⟩b⟨200B⟩⟨FEFF⟩⟨009B⟩\u001b[0m\t\r\n",
    );
    expect(visibleOutput("👩\u200d💻 漢字")).toBe("👩\u200d💻 漢字");
  });
});
