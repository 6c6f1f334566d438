import { describe, expect, it } from "vitest";
import type { Routine } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import {
  bodyOf,
  canPreview,
  dollars,
  emptyForm,
  errorsOf,
  formOf,
  type RoutineForm,
  scheduleOf,
} from "../../src/routines/routine-form.ts";
import { nextTime, scheduleWords } from "../../src/routines/schedule-words.ts";

const NOW = Date.UTC(2026, 10, 30, 12);
const form = (part: Partial<RoutineForm> = {}): RoutineForm => ({
  ...emptyForm("bot_1", NOW),
  name: "Watch",
  prompt: "Look.",
  ...part,
});

describe("what is sent", () => {
  it("permits nothing that nobody has switched on", () => {
    const body = bodyOf(form());
    expect(body.computer).toBe(false);
    expect(body.browser).toBeUndefined();
    expect(body.orders).toEqual({});
  });

  it("has the limits of orders as lists and decimal strings", () => {
    const body = bodyOf(form({ orders: true, symbols: "btc, eth，sol", sides: "buy", anOrder: " 250 " }));
    expect(body.orders).toEqual({
      enabled: true,
      venues: ["paper"],
      symbols: ["BTC", "ETH", "SOL"],
      sides: ["buy"],
      notional_an_order: "250",
      notional_a_day: "100",
    });
  });

  it("counts money in micro-dollars", () => {
    const limits = bodyOf(form({ runCost: "0.07", monthCost: "12.5" })).limits;
    expect(limits?.run_microdollars).toBe(70_000);
    expect(limits?.month_microdollars).toBe(12_500_000);
  });

  it("comes back as it was entered", () => {
    const entered = form({ orders: true, symbols: "BTC", computer: true, when: "every", minutes: "30" });
    const body = bodyOf(entered);
    const routine = {
      ...{ id: "r", bot_id: "bot_1", thread_id: "t", state: "active", created_ms: 0, updated_ms: 0 },
      settings: body,
    } as Routine;
    expect(bodyOf(formOf(routine, NOW))).toEqual(body);
  });

  it("is a time of this device's clock where it runs once", () => {
    const at = new Date(2026, 11, 1, 9, 30);
    expect(scheduleOf(form({ when: "once", at: "2026-12-01T09:30" }))).toEqual({
      kind: "once",
      at_ms: at.getTime(),
    });
  });
});

describe("what is wrong", () => {
  it.each([
    ["name", { name: " " }],
    ["prompt", { prompt: "" }],
    ["botId", { botId: "" }],
    ["minutes", { when: "every", minutes: "0" }],
    ["minutes", { when: "every", minutes: "1.5" }],
    ["rounds", { rounds: "201" }],
    ["runMinutes", { runMinutes: "361" }],
    ["failures", { failures: "" }],
    ["runCost", { runCost: "0" }],
    ["monthCost", { monthCost: "1000.01" }],
    ["symbols", { orders: true, symbols: " , " }],
    ["anOrder", { orders: true, symbols: "BTC", anOrder: "1e3" }],
  ] as const)("is said at %s", (field, part) => {
    expect(Object.keys(errorsOf(form(part as Partial<RoutineForm>), en))).toEqual([field]);
  });

  it("is nothing at the limits", () => {
    const most = { rounds: "200", runMinutes: "360", failures: "20", runCost: "1000", monthCost: "1000" };
    expect(errorsOf(form({ ...most, when: "every", minutes: "43200" }), en)).toEqual({});
  });
});

it.each([
  [{ when: "cron", cron: " " }, false],
  [{ when: "cron", cron: "* * * * *" }, true],
  [{ when: "every", minutes: "x" }, false],
  [{ when: "once", at: "" }, false],
  [{ zone: " " }, false],
] as const)("a schedule can be asked about: %o %s", (part, can) => {
  expect(canPreview(form(part as Partial<RoutineForm>))).toBe(can);
});

it("rounds no cost to nothing", () => {
  expect(dollars(1, "en")).toBe("$0.000001");
  expect(dollars(0, "en")).toBe("$0.00");
  expect(dollars(1_234_567, "en")).toBe("$1.23");
});

describe("the words of a schedule", () => {
  it.each([
    [1, "Every minute"],
    [2, "Every 2 minutes"],
  ])("%d", (minutes, words) => {
    const routine = { settings: { schedule: { kind: "every", minutes } } } as Routine;
    expect(scheduleWords(routine, en, "en")).toBe(words);
  });
});

describe("a next time", () => {
  const years = (ms: number, zone: string, locale = "en") =>
    nextTime(ms, NOW, zone, locale).match(/\b20\d\d(?=\D|$)/g) ?? [];

  it("has its year where that is not this one", () => {
    expect(years(Date.UTC(2026, 11, 31, 8), "UTC")).toEqual([]);
    expect(years(Date.UTC(2027, 0, 1, 8), "UTC")).toEqual(["2027"]);
    expect(nextTime(Date.UTC(2027, 0, 1, 8), NOW, "UTC", "zh-Hant")).toContain("2027年");
  });

  it("has the year of its zone, and of UTC where the browser has no such zone", () => {
    expect(years(Date.UTC(2026, 11, 31, 20), "Asia/Taipei")).toEqual(["2027"]);
    expect(years(Date.UTC(2026, 11, 31, 20), "Mars/Base")).toEqual([]);
  });
});
