import { describe, expect, it } from "vitest";
import { joined } from "../../src/computer/command-list.ts";
import type { ShownCommand } from "../../src/contracts.ts";

const command = (id: string, started_ms: number, over = true): ShownCommand => ({
  ...{ id, thread_id: "t", title: "", command: id, started_ms, over },
  ...{ finished_ms: over ? started_ms + 1 : null, result: null, error: null },
});

describe("the list of commands", () => {
  it("takes what is newer of each and keeps the order in which they began", () => {
    const known = [command("c", 3, false), command("b", 2), command("a", 1)];
    const list = joined(known, [command("d", 4, false), command("c", 3)]);
    expect(list.map(({ id, over }) => [id, over])).toEqual([
      ["d", false],
      ["c", true],
      ["b", true],
      ["a", true],
    ]);
  });
});
