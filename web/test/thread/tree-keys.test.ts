import { beforeEach, describe, expect, it } from "vitest";
import type { Listing } from "../../src/contracts.ts";
import { FileTree } from "../../src/thread/file-tree.ts";
import { led, rowNamed } from "../../src/thread/use-tree-keys.ts";

const FOLDERS: Record<string, string[]> = { "": ["a/", "b/", "Zebra.txt", "zoo.txt"], a: ["c.txt"], b: [] };

async function load(path: string): Promise<Listing> {
  const entries = (FOLDERS[path] ?? []).map((name) => ({
    name: name.replace("/", ""),
    kind: name.endsWith("/") ? ("folder" as const) : ("file" as const),
    size: 0,
    modified_ms: 0,
  }));
  return { path, entries, total: entries.length, at_ms: 1, live: true };
}

let tree: FileTree;

// a, a/c.txt, b, (empty), Zebra.txt, zoo.txt
beforeEach(async () => {
  tree = new FileTree(load, "name");
  tree.reveal("a");
  tree.reveal("b");
  await new Promise((done) => setTimeout(done));
});

const from = (at: number, key: string) => led(tree, tree.state().count, at, key);

describe("a key leads", () => {
  it("up and down, and to both ends", () => {
    expect([from(0, "ArrowDown"), from(5, "ArrowDown"), from(5, "ArrowUp"), from(0, "ArrowUp")]).toEqual([
      1, 5, 4, 0,
    ]);
    expect([from(3, "Home"), from(3, "End")]).toEqual([0, 5]);
  });

  it("into a folder that is open, out to the folder around, and turns one that is not", () => {
    expect([from(0, "ArrowRight"), from(1, "ArrowRight")]).toEqual([1, -1]);
    expect([from(1, "ArrowLeft"), from(3, "ArrowLeft"), from(4, "ArrowLeft")]).toEqual([0, 2, -1]);
    expect(from(0, "ArrowLeft")).toBe("toggle");
    tree.close("a");
    expect([from(0, "ArrowRight"), from(0, "ArrowLeft")]).toEqual(["toggle", -1]);
  });

  it("nowhere where it means nothing", () => {
    expect([from(0, "PageUp"), from(99, "ArrowLeft")]).toEqual([-1, -1]);
  });
});

it("what is typed leads to the next name that begins so, coming round", () => {
  const named = (at: number, word: string) => rowNamed(tree, tree.state().count, at, word);
  expect([named(0, "z"), named(5, "z"), named(0, "zo"), named(4, "c"), named(0, "q")]).toEqual([
    4, 5, 5, 1, -1,
  ]);
  expect(rowNamed(tree, 0, 0, "a")).toBe(-1);
});
