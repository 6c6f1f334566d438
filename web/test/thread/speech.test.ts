import { describe, expect, it } from "vitest";
import type { Bot } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import { hasModels, modelsOf, shownChoice } from "../../src/thread/message-model.ts";
import { heard, recognition, spoken } from "../../src/thread/speech.ts";

describe("dictation", () => {
  it("is there where the browser has it, under either name", () => {
    class Maker {}
    expect(recognition({})).toBeNull();
    expect(recognition({ webkitSpeechRecognition: Maker })).toBe(Maker);
    expect(recognition({ SpeechRecognition: Maker })).toBe(Maker);
  });

  it("listens in the page's language, and in the person's own English", () => {
    expect(spoken("zh-Hans", ["en-GB"])).toBe("zh-CN");
    expect(spoken("zh-Hant", [])).toBe("zh-TW");
    expect(spoken("en", ["zh-CN", "en-GB"])).toBe("en-GB");
    expect(spoken("en", ["zh-CN"])).toBe("en-US");
  });

  it("tells what was understood for good from what may still change", () => {
    const result = (transcript: string, isFinal: boolean) => ({ isFinal, 0: { transcript } });
    const results = [result("old ", true), result("open it", true), result(" and", false)];
    expect(heard({ resultIndex: 1, results })).toEqual({ final: "open it", interim: "and" });
  });
});

describe("the model of a message", () => {
  const bot = (provider: Bot["model"]["provider"], model: string) => ({ model: { provider, model } }) as Bot;

  it("can be chosen where the bot's provider has several", () => {
    expect(hasModels(bot("anthropic", "a"))).toBe(true);
    expect(hasModels(bot("workers_ai", "a"))).toBe(true);
    expect(hasModels(bot("manual", ""))).toBe(false);
    expect(hasModels(bot("scripted", ""))).toBe(false);
  });

  it("is one of those that the owner's other bots of that provider have, or any", () => {
    const bots = [bot("openai", "a"), bot("openai", "b"), bot("anthropic", "c"), bot("openai", "b")];
    expect(modelsOf(bot("openai", "a"), bots)).toEqual(["b"]);
  });

  it("is shown where it is not the bot's", () => {
    expect(shownChoice({ model: null, effort: null }, en.efforts)).toBeNull();
    expect(shownChoice({}, en.efforts)).toBeNull();
    expect(shownChoice({ model: "b", effort: "high" }, en.efforts)).toBe("b · High");
    expect(shownChoice({ model: null, effort: "low" }, en.efforts)).toBe("Low");
  });
});
