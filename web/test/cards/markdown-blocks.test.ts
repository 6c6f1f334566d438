import { describe, expect, it } from "vitest";
import { markdownBlocks } from "../../src/cards/markdown-blocks.ts";

const FENCED = "```python\na\n\nb\n```";

describe("markdownBlocks", () => {
  it.each([
    ["paragraphs", "one\n\ntwo", ["one\n", "two"]],
    ["a fenced block with an empty line", `${FENCED}\n\nafter`, [`${FENCED}\n`, "after"]],
    ["a fence that is not closed yet", "before\n\n```\na\n\nb", ["before\n", "```\na\n\nb"]],
    ["a longer fence around a shorter", "````\n```\n\nx\n````", ["````\n```\n\nx\n````"]],
    ["an indented continuation", "- a\n\n  still a", ["- a\n\n  still a"]],
    ["an end that may go on", "one\n\n", ["one\n\n"]],
    ["nothing", "", [""]],
  ])("cuts %s", (_, text, blocks) => {
    expect(markdownBlocks(text)).toEqual(blocks);
  });

  it("loses no character", () => {
    const text = `# a\n\n${FENCED}\n\n- b\n\n  c\n\nd\n`;
    expect(markdownBlocks(text).join("\n")).toBe(text);
  });
});
