import { describe, expect, it } from "vitest";
import { standing } from "../../src/cards/terminal-state.ts";
import type { CommandResult } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import type { TerminalCard } from "../../src/stream/cards.ts";
import { EMPTY_TAIL } from "../../src/stream/tail.ts";

const card: TerminalCard = {
  kind: "terminal",
  key: "c",
  at: 0,
  runId: "r",
  startedMs: 1_000,
  finishedMs: null,
  ok: false,
  problem: null,
  text: "",
  abandoned: false,
  command: "ls",
  tail: EMPTY_TAIL,
  result: null,
};

const ended = (part: Partial<CommandResult>): TerminalCard => ({
  ...card,
  finishedMs: 2_000,
  result: { id: "c", state: "exited", duration_ms: 1, output: "", ...part },
});

describe("standing", () => {
  it.each<[string, TerminalCard, string, boolean]>([
    ["running", card, "Running 0:12", false],
    ["refused", { ...card, finishedMs: 2_000 }, "Not run", true],
    ["without an end", { ...card, abandoned: true }, "Lost", true],
    ["successful", ended({ exit_code: 0 }), "Finished", true],
    ["failed", ended({ exit_code: 3 }), "Failed · exit 3", true],
    ["killed", ended({ state: "signalled", signal: 9 }), "Ended by SIGKILL", true],
    ["killed in an unusual way", ended({ state: "signalled", signal: 40 }), "Ended by signal 40", true],
    ["out of memory", ended({ state: "signalled", signal: 9, oom: true }), "Out of memory", true],
    ["timed out", ended({ state: "timed_out" }), "Timed out", true],
    ["stopped", ended({ state: "stopped" }), "Stopped", true],
    ["ended by a ban", ended({ state: "stopped", banned: true }), "Ended by an operator", true],
    [
      "ended in a full workspace",
      ended({ state: "signalled", signal: 9, workspace_full: true }),
      "Workspace full",
      true,
    ],
    ["successful in a full workspace", ended({ exit_code: 0, workspace_full: true }), "Finished", true],
    ["lost", ended({ state: "lost" }), "Lost", true],
  ])("of a command that is %s", (_, record, word, over) => {
    expect(standing(record, 13_000, en)).toMatchObject({ word, over });
  });

  it("never paints a stop by the person as a failure", () => {
    expect(standing(ended({ state: "stopped", signal: 15 }), 0, en).tone).toBe("stopped");
  });
});
