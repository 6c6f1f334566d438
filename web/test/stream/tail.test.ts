import { describe, expect, it } from "vitest";
import {
  EMPTY_TAIL,
  extend,
  JUMP_MARK,
  TAIL_CHARACTERS,
  TAIL_LINES,
  type Tail,
} from "../../src/stream/tail.ts";

function tailOf(...pieces: [number, string][]): Tail {
  return pieces.reduce((tail, [offset, text]) => extend(tail, offset, text), EMPTY_TAIL);
}

describe("extend", () => {
  it.each<[string, [number, string][], string]>([
    [
      "one after the other",
      [
        [0, "ab"],
        [2, "cd"],
      ],
      "abcd",
    ],
    [
      "the same again",
      [
        [0, "abcd"],
        [0, "abcd"],
      ],
      "abcd",
    ],
    [
      "an overlap",
      [
        [0, "abcd"],
        [2, "cdef"],
      ],
      "abcdef",
    ],
    [
      "an older piece",
      [
        [0, "abcdef"],
        [1, "bc"],
      ],
      "abcdef",
    ],
    [
      "emoji, which are one character each",
      [
        [0, "a🚢b"],
        [3, "c"],
      ],
      "a🚢bc",
    ],
    [
      "an overlap behind emoji",
      [
        [0, "🚢🚢"],
        [1, "🚢x"],
      ],
      "🚢🚢x",
    ],
  ])("joins %s", (_, pieces, text) => {
    expect(tailOf(...pieces).text).toBe(text);
  });

  it("marks a jump and counts what is missing", () => {
    const tail = tailOf([0, "ab\n"], [10, "cd\n"]);
    expect(tail).toEqual({ text: `ab\n${JUMP_MARK}\ncd\n`, end: 13, lines: 2, missing: 7 });
  });

  it("puts no mark before the tail that a late joiner is sent", () => {
    expect(tailOf([500, "cd"])).toMatchObject({ text: "cd", missing: 500 });
  });

  it("keeps the last lines and the number of all", () => {
    const tail = tailOf([0, Array.from({ length: 1_000 }, (_, i) => `${i}\n`).join("")]);
    expect(tail.lines).toBe(1_000);
    expect(tail.text.split("\n")[0]).toBe(String(1_000 - TAIL_LINES));
    expect(tail.text.endsWith("999\n")).toBe(true);
  });

  it("keeps within its size even where there is no line to cut at", () => {
    expect(tailOf([0, "x".repeat(TAIL_CHARACTERS * 3)]).text).toHaveLength(TAIL_CHARACTERS);
  });

  it("cuts a long text at the start of a line", () => {
    const text = `${"a".repeat(TAIL_CHARACTERS)}\nlast`;
    expect(tailOf([0, text]).text).toBe("last");
  });
});
