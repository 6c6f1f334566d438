import { expect, it } from "vitest";
import { diffLines } from "../../src/cards/diff-lines.ts";

it("says what each line of a diff is and leaves its names out", () => {
  const diff = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\r\n+2\r\n\\ No newline at end of file\n";
  expect(diffLines(diff)).toEqual([
    { kind: "place", text: "@@ -1,3 +1,3 @@" },
    { kind: "same", text: " one" },
    { kind: "removed", text: "-two" },
    { kind: "added", text: "+2" },
    { kind: "same", text: "\\ No newline at end of file" },
  ]);
});

it("keeps changed lines that look like names", () => {
  expect(diffLines("--- a/f\n+++ b/f\n@@ -1 +1 @@\n--- x\n+++ y\n").map((line) => line.kind)).toEqual([
    "place",
    "removed",
    "added",
  ]);
});
