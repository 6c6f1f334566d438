import { describe, expect, it } from "vitest";
import { allDays, dayName, daysOf, today } from "../../src/usage/usage-days.ts";

describe("today", () => {
  it.each([
    ["2026-03-31T22:30:00Z", "Europe/Berlin", "2026-04-01"],
    ["2026-03-31T22:30:00Z", "UTC", "2026-03-31"],
    ["2026-01-01T01:00:00Z", "America/New_York", "2025-12-31"],
    ["2026-12-31T16:00:00Z", "Asia/Shanghai", "2027-01-01"],
  ])("at %s in %s is %s", (moment, zone, day) => {
    expect(today(Date.parse(moment), zone)).toBe(day);
  });
});

describe("daysOf", () => {
  it.each([
    ["month", "2026-03-29", "2026-03-01", "2026-03-29"],
    ["before", "2026-03-29", "2026-02-01", "2026-02-28"],
    ["before", "2026-01-01", "2025-12-01", "2025-12-31"],
    ["days30", "2026-03-29", "2026-02-28", "2026-03-29"],
  ] as const)("of %s on %s is %s to %s", (period, day, first, last) => {
    expect(daysOf(period, day)).toEqual({ first, last });
  });

  it("gives thirty days over a change of clocks", () => {
    expect(allDays(daysOf("days30", "2026-11-05"))).toHaveLength(30);
    expect(allDays({ first: "2026-02-28", last: "2026-03-01" })).toEqual(["2026-02-28", "2026-03-01"]);
  });
});

describe("dayName", () => {
  it("is the day itself, wherever it is read", () => {
    expect(dayName("2026-03-01", "en")).toBe("Mar 1");
    expect(dayName("2026-03-01", "zh-Hans")).toBe("3月1日");
  });
});
