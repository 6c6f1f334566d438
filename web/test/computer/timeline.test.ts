import { describe, expect, it } from "vitest";
import { filesAt, runsOf, stepOf } from "../../src/computer/timeline.ts";
import type { CallCard, Card, FileCard } from "../../src/stream/cards.ts";
import { EMPTY_TAIL } from "../../src/stream/tail.ts";

const base = (key: string, runId: string) => ({
  ...{ key, runId, at: 1, startedMs: 1, finishedMs: 2, ok: true, problem: null, text: "", abandoned: false },
});

const terminal = (key: string, runId = "r"): CallCard => ({
  ...base(key, runId),
  ...{ kind: "terminal", command: key, tail: EMPTY_TAIL, result: null },
});

const file = (key: string, path: string, part: Partial<FileCard> = {}): FileCard => ({
  ...base(key, "r"),
  ...{ kind: "file", action: "edit", path, content: "", picture: null },
  change: { path, size: 1, added: 2, removed: 1 },
  ...part,
});

const message = (runId: string, text: string): Card => ({
  ...{ kind: "user", key: text, at: 1, text, uploads: [], send: null, problem: null, runId, seq: 1 },
  ...{ queued: false, routine: null, model: null, effort: null },
});

describe("the runs of a thread", () => {
  it("have their calls in order, the newest run first, and none without a call", () => {
    const cards = [message("a", "one"), terminal("c1", "a"), message("b", "two"), message("b", "more")];
    const runs = runsOf([...cards, terminal("c2", "b"), terminal("c3", "b"), message("c", "words")]);
    expect(runs.map(({ id, text, steps }) => [id, text, steps.map(({ key }) => key)])).toEqual([
      ["b", "two", ["c2", "c3"]],
      ["a", "one", ["c1"]],
    ]);
  });
});

describe("the files at a step", () => {
  const steps = [
    file("f1", "a.py"),
    terminal("c1"),
    file("f2", "b.py", { action: "write" }),
    file("f3", "a.py"),
    file("f4", "b.py", { change: { path: "b.py", size: 1, compared: false } }),
    file("f5", "a.py", { action: "read", change: null }),
    file("f6", "c.py", { change: null }),
  ];
  const at = (step: number) =>
    filesAt(steps, step).map(({ path, card, added, removed, changes }) => [
      path,
      card.key,
      added,
      removed,
      changes,
    ]);

  it("count the lines of a new file, of which there is no diff", () => {
    const added = (content: string) =>
      filesAt(
        [file("n", "new", { action: "write", content, change: { path: "new", size: 1, created: true } })],
        1,
      )[0]?.added;
    expect(["", "one", "one\n", "one\n\n"].map(added)).toEqual([0, 1, 1, 2]);
  });

  it("are those that were changed by then, with all that was changed in them", () => {
    expect(at(0)).toEqual([]);
    expect(at(1)).toEqual([["a.py", "f1", 2, 1, 1]]);
    expect(at(3)).toEqual([
      ["b.py", "f2", 2, 1, 1],
      ["a.py", "f1", 2, 1, 1],
    ]);
    expect(at(4)).toEqual([
      ["a.py", "f3", 4, 2, 2],
      ["b.py", "f2", 2, 1, 1],
    ]);
  });

  it("say no numbers where a change could not be compared, and nothing of what was only read or failed", () => {
    expect(at(7)).toEqual([
      ["b.py", "f4", null, null, 2],
      ["a.py", "f3", 4, 2, 2],
    ]);
  });
});

describe("the step of an address", () => {
  it.each([
    [null, 5, 5],
    ["2", 5, 2],
    ["0", 5, 5],
    ["6", 5, 5],
    ["1.5", 5, 5],
    ["x", 5, 5],
  ])("%s of %d is %d", (text, count, step) => {
    expect(stepOf(text, count)).toBe(step);
  });
});
