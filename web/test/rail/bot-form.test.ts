import { describe, expect, it } from "vitest";
import type { Bot } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import { type BotForm, bodyOf, errorsOf, formOf, keepsKey } from "../../src/rail/bot-form.ts";

const openai: BotForm = {
  name: " Quill ",
  instructions: "",
  provider: "openai",
  baseUrl: " https://host/v1 ",
  model: " m ",
  apiKey: "",
  removeKey: false,
  effort: "none",
  temperature: "",
  rounds: "40",
};

describe("errorsOf", () => {
  it.each<[string, Partial<BotForm>, (keyof BotForm)[]]>([
    ["a complete form", {}, []],
    ["no name", { name: "  " }, ["name"]],
    ["no address, which is the provider's own", { baseUrl: "" }, []],
    ["an address that is none", { baseUrl: "host/v1" }, ["baseUrl"]],
    ["an address of another kind", { baseUrl: "file:///etc/passwd" }, ["baseUrl"]],
    ["an address that is not asked for", { provider: "workers_ai", baseUrl: "host/v1" }, []],
    ["no model", { model: "" }, ["model"]],
    ["no model where none is needed", { provider: "manual", model: "", baseUrl: "" }, []],
    ["the highest temperature", { temperature: "2" }, []],
    ["the lowest temperature", { temperature: " 0 " }, []],
    ["a temperature above it", { temperature: "2.1" }, ["temperature"]],
    [
      "a temperature that is too high for this provider",
      { provider: "anthropic", temperature: "1.1" },
      ["temperature"],
    ],
    ["a temperature that is no number", { temperature: "warm" }, ["temperature"]],
    ["the most rounds", { rounds: "200" }, []],
    ["more rounds", { rounds: "201" }, ["rounds"]],
    ["half a round", { rounds: "1.5" }, ["rounds"]],
    ["no round", { rounds: "0" }, ["rounds"]],
    ["rounds left out", { rounds: "" }, ["rounds"]],
  ])("of %s", (_, part, wrong) => {
    expect(Object.keys(errorsOf({ ...openai, ...part }, en))).toEqual(wrong);
  });
});

describe("bodyOf", () => {
  it("leaves the stored key as it is when none was typed", () => {
    expect(bodyOf(openai)).toEqual({
      name: "Quill",
      instructions: "",
      rounds: 40,
      model: { provider: "openai", base_url: "https://host/v1", model: "m", effort: null, temperature: null },
    });
  });

  it("sends a key that was typed, and an empty one to remove what is stored", () => {
    expect(bodyOf({ ...openai, apiKey: " k ", removeKey: true }).model).toMatchObject({ api_key: "k" });
    expect(bodyOf({ ...openai, removeKey: true }).model).toMatchObject({ api_key: "" });
  });

  it("sends how to answer", () => {
    const model = bodyOf({ ...openai, effort: "high", temperature: "0.5", rounds: "7" });
    expect(model).toMatchObject({ rounds: 7, model: { effort: "high", temperature: 0.5 } });
  });

  it("sends nothing that the provider has no use for", () => {
    const full = { ...openai, apiKey: "k", effort: "low" as const };
    expect(bodyOf({ ...full, provider: "manual" }).model).toEqual({ provider: "manual" });
    expect(bodyOf({ ...full, provider: "scripted" }).model).toEqual({ provider: "scripted" });
    const model = { provider: "workers_ai", model: "m", effort: "low", temperature: null };
    expect(bodyOf({ ...full, provider: "workers_ai" }).model).toEqual(model);
  });
});

const model = { provider: "openai" as const, base_url: "https://host/v1", model: "m", has_key: true };
const bot: Bot = { id: "b", name: "Quill", instructions: "", model, created_ms: 0 };

it("never fills a key in", () => {
  expect(formOf(bot, en)).toMatchObject({ provider: "openai", apiKey: "", removeKey: false, rounds: "40" });
});

it.each<[string, Partial<BotForm>, boolean]>([
  ["the same address", {}, true],
  ["another address", { baseUrl: "https://other/v1" }, false],
  ["another provider", { provider: "openai_responses" }, false],
])("knows whether the stored key stays with %s", (_, part, kept) => {
  expect(keepsKey(bot, { ...openai, ...part })).toBe(kept);
  expect(keepsKey({ ...bot, model: { ...model, has_key: false } }, { ...openai, ...part })).toBe(false);
  expect(keepsKey(null, { ...openai, ...part })).toBe(false);
});
