import { describe, expect, it } from "vitest";
import { diffLines, pairs } from "../../src/cards/diff-lines.ts";

const DIFF = "--- a/x\n+++ b/x\n@@ -3,4 +3,4 @@ def f\n a\n-b\n-c\n+B\n d\n@@ -90 +89,0 @@\n--- e\n";

describe("the lines of a diff", () => {
  it("are told apart by their mark, with their numbers on both sides", () => {
    expect(diffLines(DIFF)).toEqual([
      { kind: "place", text: "@@ -3,4 +3,4 @@ def f", before: null, after: null },
      { kind: "same", text: "a", before: 3, after: 3 },
      { kind: "removed", text: "b", before: 4, after: null },
      { kind: "removed", text: "c", before: 5, after: null },
      { kind: "added", text: "B", before: null, after: 4 },
      { kind: "same", text: "d", before: 6, after: 5 },
      { kind: "place", text: "@@ -90 +89,0 @@", before: null, after: null },
      { kind: "removed", text: "-- e", before: 90, after: null },
    ]);
  });

  it("keep what is said about the end of the file, and no carriage returns", () => {
    expect(diffLines("@@ -1 +1 @@\n-a\r\n\\ No newline at end of file\n+b\r\n")).toEqual([
      { kind: "place", text: "@@ -1 +1 @@", before: null, after: null },
      { kind: "removed", text: "a", before: 1, after: null },
      { kind: "same", text: "\\ No newline at end of file", before: null, after: null },
      { kind: "added", text: "b", before: null, after: 1 },
    ]);
  });

  it("stand beside each other where one took the place of another", () => {
    expect(pairs(diffLines(DIFF))).toEqual([
      { left: 0, right: 0 },
      { left: 1, right: 1 },
      { left: 2, right: 4 },
      { left: 3, right: null },
      { left: 5, right: 5 },
      { left: 6, right: 6 },
      { left: 7, right: null },
    ]);
  });
});
