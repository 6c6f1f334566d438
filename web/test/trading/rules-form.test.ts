import { describe, expect, it } from "vitest";
import type { TradingRules } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import { zhHans } from "../../src/i18n/zh-Hans.ts";
import {
  amountOf,
  errorsOf,
  formOf,
  grouped,
  type RulesForm,
  rulesOf,
  sentenceOf,
  sizesOf,
} from "../../src/trading/rules-form.ts";

const RULES: Required<TradingRules> = {
  enabled: true,
  venues: ["paper"],
  symbols: ["BTC"],
  sides: ["buy"],
  sizes: {},
  notional_an_order: "500",
  notional_a_day: "2000",
  reduce_only_exempt: false,
  hours: [0, 24],
};
const FORM = formOf(RULES);

describe("amountOf", () => {
  it.each([
    ["500", "500"],
    [" 0.5 ", "0.5"],
    ["2,000", "2000"],
    ["1,234,567.8", "1234567.8"],
    ["1,5", null],
    ["0", null],
    ["0.00", null],
    ["-1", null],
    ["1e3", null],
    ["", null],
    [".5", null],
    ["007", null],
  ])("of %j is %j", (typed, amount) => {
    expect(amountOf(typed)).toBe(amount);
  });
});

describe("sizesOf", () => {
  it.each<[string, Record<string, string> | null]>([
    ["", {}],
    ["BTC 0.05", { BTC: "0.05" }],
    ["btc 0.05, kPEPE 1000", { BTC: "0.05", kPEPE: "1000" }],
    ["BTC", null],
    ["BTC 0.05 ETH", null],
    ["BTC -1", null],
  ])("of %j is %j", (typed, sizes) => {
    expect(sizesOf(typed)).toEqual(sizes);
  });
});

describe("errorsOf", () => {
  it.each<[string, Partial<RulesForm>, string[]]>([
    ["complete rules", {}, []],
    ["nowhere", { venues: [] }, ["venues"]],
    ["no market", { symbols: " , " }, ["symbols"]],
    ["no side", { buy: false }, ["sides"]],
    ["no amount an order", { anOrder: "" }, ["anOrder"]],
    ["an amount of nothing", { aDay: "0" }, ["aDay"]],
    ["sizes that are none", { sizes: "BTC" }, ["sizes"]],
    ["no hour", { from: "8", until: "8" }, ["until"]],
    ["over midnight", { from: "22", until: "6" }, []],
    [
      "unfinished, and off",
      { enabled: false, venues: [], symbols: "", buy: false, anOrder: "", aDay: "" },
      [],
    ],
    ["illegible, and off", { enabled: false, aDay: "x", sizes: "BTC" }, ["aDay", "sizes"]],
  ])("of %s", (_, part, errors) => {
    expect(Object.keys(errorsOf({ ...FORM, ...part }, en)).sort()).toEqual([...errors].sort());
  });
});

describe("rulesOf", () => {
  it("is what the form was made of", () => {
    const whole: TradingRules = {
      ...RULES,
      ...{ symbols: ["BTC", "kPEPE"], sides: ["buy", "sell"], sizes: { BTC: "0.05", kPEPE: "9" } },
      ...{ venues: ["paper", "mainnet"], reduce_only_exempt: true, hours: [22, 6] },
    };
    expect(rulesOf(formOf(whole))).toEqual(whole);
    expect(rulesOf(formOf({}))).toEqual({
      ...{ enabled: false, venues: [], symbols: [], sides: [], sizes: {}, hours: [0, 24] },
      ...{ notional_an_order: "0", notional_a_day: "0", reduce_only_exempt: false },
    });
  });

  it("names each market once", () => {
    expect(rulesOf({ ...FORM, symbols: "btc, BTC ETH" }).symbols).toEqual(["BTC", "ETH"]);
  });
});

describe("grouped", () => {
  it.each([
    ["0", "0"],
    ["999", "999"],
    ["2000", "2,000"],
    ["1234567.12345678", "1,234,567.12345678"],
  ])("of %s is %s", (amount, text) => {
    expect(grouped(amount)).toBe(text);
  });
});

describe("sentenceOf", () => {
  it.each<[string, TradingRules, string | null]>([
    ["rules that are off", { ...RULES, enabled: false }, null],
    ["rules that name nothing", { enabled: true }, null],
    ["rules", RULES, "Without asking: BTC, buys, up to 500 USDC an order, 2,000 a day, on Paper."],
    [
      "all of it",
      {
        ...RULES,
        ...{ symbols: ["BTC", "ETH"], sides: ["buy", "sell"], sizes: { BTC: "0.05", SOL: "1" } },
        ...{ venues: ["testnet", "mainnet"], reduce_only_exempt: true, hours: [22, 6] },
      },
      "Without asking: BTC, ETH, buys and sells, up to 500 USDC an order, 2,000 a day, at most 0.05 BTC an order, reduce-only orders of any amount, at 22:00–06:00 (Asia/Tokyo), on Testnet, Mainnet.",
    ],
  ])("of %s", (_, rules, sentence) => {
    expect(sentenceOf(rules, "Asia/Tokyo", en, "en")).toBe(sentence);
  });

  it("is said in Chinese", () => {
    expect(sentenceOf(RULES, "UTC", zhHans, "zh-Hans")).toBe(
      "免审批：BTC，买入，每单最多 500 USDC，每天最多 2,000 USDC，在模拟盘。",
    );
  });
});
