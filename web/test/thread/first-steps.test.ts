// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { leftOf, takenIn } from "../../src/app/taken-steps.ts";
import type { Trading } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import { firstMessage, openSteps, STEPS, standingOf } from "../../src/thread/first-steps.ts";

const trading = (part: Partial<Trading>): Trading => ({
  ...{ venue: "paper", network: "paper", account: "paper", switch: "active" },
  ...{ rules: {}, approvals: {}, ruled_today: "0", time_zone: "UTC", used: false },
  ...part,
});

describe("a first step", () => {
  it("is a call for a bot without a model and words for one with a model", () => {
    for (const step of STEPS) {
      expect(firstMessage(step, true, en)).toMatch(/^(\$|\/orders|\/write) ?/);
      expect(firstMessage(step, false, en)).toBe(en.firstSteps[step].ask);
    }
  });

  it("orders on paper only, and says nothing before that is known", () => {
    expect(standingOf("order", null)).toBe("later");
    expect(standingOf("order", trading({}))).toBe("ready");
    expect(standingOf("order", trading({ network: "mainnet" }))).toBe("hidden");
    expect(standingOf("order", trading({ network: "testnet" }))).toBe("hidden");
    expect(standingOf("order", trading({ switch: "halted" }))).toBe("hidden");
    expect(standingOf("command", null)).toBe("ready");
  });
});

describe("what is open of the first steps", () => {
  it("is what was not taken and can be", () => {
    expect(openSteps([], trading({}))).toEqual(STEPS);
    expect(openSteps(["file"], trading({}))).toEqual(["command", "order"]);
    expect(openSteps(["command", "file"], trading({ network: "mainnet" }))).toEqual([]);
    expect(openSteps(["command", "file", "order"], trading({}))).toEqual([]);
  });
});

describe("what is left of the first steps", () => {
  it("is nothing before one was taken and after all were", () => {
    expect(leftOf([])).toEqual([]);
    expect(leftOf(["file"])).toEqual(["command", "order", "settings"]);
    expect(leftOf(takenIn("command file order settings"))).toEqual([]);
  });

  it("is nothing where nobody wants it, and whatever else is stored is passed over", () => {
    expect(leftOf(takenIn("none"))).toEqual([]);
    expect(takenIn("order nonsense")).toEqual(["order"]);
    expect(takenIn(null)).toEqual([]);
  });
});
