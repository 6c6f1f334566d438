import { describe, expect, it } from "vitest";
import { causesOf, hasOutcomes, outcomeOf, timeLeft, toneOf } from "../../src/cards/approval-state.ts";
import type { Intent } from "../../src/contracts.ts";

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

  it("names the calls that brought text from outside", () => {
    expect(causesOf(intent)).toEqual(["computer__exec ls packages.invalid", "computer__read_file"]);
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
