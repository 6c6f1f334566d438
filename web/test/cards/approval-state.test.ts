import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { causesOf, hasOutcomes, outcomeOf, timeLeft, toneOf } from "../../src/cards/approval-state.ts";
import { toolName } from "../../src/cards/tool-name.ts";
import type { Intent } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import { zhHans } from "../../src/i18n/zh-Hans.ts";
import { zhHant } from "../../src/i18n/zh-Hant.ts";

const intent = {
  state: "pending",
  source: {
    causes: [
      { kind: "run", id: "run_1" },
      { kind: "call", id: "call_1", tool: "computer__exec", what: "ls", hosts: ["packages.invalid"] },
      { kind: "call", id: "call_2", tool: "computer__read_file", what: "", hosts: [] },
    ],
  },
  outcomes: [
    { n: 1, state: "proposed" },
    { n: 2, state: "proposed" },
  ],
} as unknown as Intent;

describe("an approval", () => {
  it("counts down to its end and not beyond", () => {
    expect(timeLeft(900_000, 0)).toBe("15:00");
    expect(timeLeft(61_000, 0)).toBe("1:01");
    expect(timeLeft(1_000, 999)).toBe("0:01");
    expect(timeLeft(1_000, 1_000)).toBeNull();
  });

  it("names the calls that brought text from outside in the page's words", () => {
    expect(causesOf(intent, en)).toEqual(["Command · ls · packages.invalid", "File read"]);
    expect(causesOf(intent, zhHant)).toEqual(["指令 · ls · packages.invalid", "讀取檔案"]);
  });

  it("shows what turns the direction of writing in a cause", () => {
    const cause = { kind: "call", id: "c", tool: "computer__exec", what: "rm \u202ea" } as const;
    const turned = { ...intent, source: { ...intent.source, causes: [cause] } };
    expect(causesOf(turned, en)).toEqual(["Command · rm ⟨202E⟩a"]);
  });

  it.each([en, zhHans, zhHant])("has a word for each tool there is", (t) => {
    const tools = ["tools.py", "venue_tools.py"].flatMap((file) => {
      const text = readFileSync(new URL(`../../../contracts/${file}`, import.meta.url), "utf8");
      return [...text.matchAll(/"([a-z]+__[a-z_]+)"/g)].map((found) => found[1] ?? "");
    });
    expect(tools.length).toBeGreaterThan(10);
    for (const tool of tools) expect(toolName(tool, t)).not.toBe(tool);
  });

  it("finds what became of a line", () => {
    expect(outcomeOf(intent, { n: 2 } as Intent["lines"][number])?.state).toBe("proposed");
    expect(hasOutcomes(intent)).toBe(false);
    expect(hasOutcomes({ ...intent, outcomes: [{ n: 1, state: "filled" }] })).toBe(true);
  });

  it("looks unfinished while its outcome is not known", () => {
    expect(toneOf({ ...intent, state: "unknown" })).toBe("attention");
    expect(toneOf({ ...intent, state: "executed" })).toBe("finished");
  });
});
