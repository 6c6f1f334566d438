import { beforeEach, describe, expect, it } from "vitest";
import type { FolderEntry, Listing } from "../../src/contracts.ts";
import { FileTree, isRemark, OPEN_MOST, type TreeRow } from "../../src/thread/file-tree.ts";
import { PAGE } from "../../src/thread/folder-pages.ts";

type Folders = Record<string, readonly string[]>;

let folders: Folders;
let asked: string[];
let refused: Map<string, unknown>;
let live: boolean;

const entry = (name: string): FolderEntry => ({
  name: name.replace(/\/$/, ""),
  kind: name.endsWith("/") ? "folder" : "file",
  size: 1,
  modified_ms: 1,
});

async function load(path: string, sort: string, offset: number): Promise<Listing> {
  asked.push(offset === 0 ? path : `${path}+${offset}`);
  const reason = refused.get(path);
  if (reason !== undefined) throw reason;
  const all = folders[path] ?? [];
  const sorted = sort === "size" ? all.toReversed() : all;
  const entries = sorted.slice(offset, offset + PAGE).map(entry);
  return { path, entries, total: all.length, at_ms: 1, live };
}

const settled = () => new Promise((done) => setTimeout(done));

async function treeOf(...open: string[]): Promise<FileTree> {
  const tree = new FileTree(load, "name");
  for (const path of open) {
    tree.reveal(path);
    await settled();
  }
  await settled();
  return tree;
}

const said = (row: TreeRow | undefined) =>
  row === undefined
    ? "nothing"
    : `${" ".repeat(row.level - 1)}${isRemark(row) ? `(${row.remark} ${row.folder})` : row.path}`;
const shown = (tree: FileTree) => Array.from({ length: tree.state().count }, (_, at) => said(tree.row(at)));

beforeEach(() => {
  folders = { "": ["a/", "b/", "z.txt"], a: ["c/", "d.txt"], "a/c": ["e.txt"], b: [] };
  asked = [];
  refused = new Map();
  live = true;
});

describe("FileTree", () => {
  it("lists the workspace, and a folder when it is opened", async () => {
    const tree = await treeOf();
    expect(shown(tree)).toEqual(["a", "b", "z.txt"]);
    expect(asked).toEqual([""]);
    tree.reveal("a");
    expect(shown(tree)).toEqual(["a", " (loading a)", "b", "z.txt"]);
    await settled();
    expect(shown(tree)).toEqual(["a", " a/c", " a/d.txt", "b", "z.txt"]);
    expect(asked).toEqual(["", "a"]);
  });

  it("opens what a path is in, and closes a folder with all that is in it", async () => {
    const tree = await treeOf("a/c");
    expect(shown(tree)).toEqual(["a", " a/c", "  a/c/e.txt", " a/d.txt", "b", "z.txt"]);
    tree.close("a");
    expect(shown(tree)).toEqual(["a", "b", "z.txt"]);
    tree.reveal("a");
    await settled();
    expect(shown(tree)).toEqual(["a", " a/c", " a/d.txt", "b", "z.txt"]);
  });

  it("says of a row where it stands, and knows the row of a path", async () => {
    const tree = await treeOf("a/c");
    expect(tree.row(3)).toMatchObject({ path: "a/d.txt", level: 2, place: 2, of: 2, open: false });
    expect(tree.row(0)).toMatchObject({ path: "a", level: 1, place: 1, of: 3, open: true });
    expect(tree.row(6)).toBeUndefined();
    for (const [at, row] of shown(tree).entries()) expect(tree.rowOf(row.trim())).toBe(at);
    for (const path of ["", "nothing", "a/nothing", "b/x"]) expect(tree.rowOf(path)).toBe(-1);
  });

  it("says that a folder is empty, could not be listed, or was never seen, and asks again when told to", async () => {
    refused.set("a", "no");
    const tree = await treeOf("a", "b");
    expect(shown(tree)).toEqual(["a", " (failed a)", "b", " (empty b)", "z.txt"]);
    expect(tree.row(1)).toMatchObject({ state: { reason: "no" } });
    refused.clear();
    tree.retry("a");
    await settled();
    expect(shown(tree)).toContain(" a/c");
  });

  it("asks for the pages whose rows are in view, of each folder that is", async () => {
    folders = {
      "": ["a/", ...Array.from({ length: 3_000 }, (_, n) => `f${n}`)],
      a: Array.from({ length: 2_500 }, (_, n) => `g${n}`),
    };
    const tree = await treeOf("a");
    expect(tree.state().count).toBe(5_501);
    expect(asked).toEqual(["", "a"]);
    tree.want(0, 20);
    expect(asked).toEqual(["", "a"]);
    tree.want(2_490, 2_510);
    await settled();
    expect(asked).toEqual(["", "a", "a+2000"]);
    expect(said(tree.row(2_500))).toBe(" a/g2499");
    expect(said(tree.row(2_501))).toBe("f0");
    expect(tree.row(1_500)).toMatchObject({ entry: undefined, place: 1_500, of: 2_500 });
    tree.want(5_480, 5_500);
    await settled();
    expect(asked.slice(3)).toEqual(["+2000", "+3000"]);
    expect(said(tree.row(5_500))).toBe("f2999");
  });

  it("shows what was there until what is asked for anew has come, sorted anew, without what is gone", async () => {
    const tree = await treeOf("a/c");
    folders = { ...folders, "": ["b/", "a/", "y.txt"], a: ["d.txt"] };
    tree.refresh("size");
    expect(shown(tree)).toEqual(["a", " a/c", "  a/c/e.txt", " a/d.txt", "b", "z.txt"]);
    await settled();
    expect(shown(tree)).toEqual(["y.txt", "a", " a/d.txt", "b"]);
  });

  it("asks anew for what had failed", async () => {
    refused.set("", "no");
    const tree = await treeOf();
    expect(tree.state().root).toEqual({ view: null, reason: "no" });
    refused.clear();
    tree.refresh();
    await settled();
    expect(shown(tree)).toEqual(["a", "b", "z.txt"]);
  });

  it("says how it is asleep", async () => {
    const tree = await treeOf("a");
    live = false;
    refused.set("a", "asleep");
    tree.refresh();
    await settled();
    expect(shown(tree)).toEqual(["a", " (failed a)", "b", "z.txt"]);
    expect(tree.row(0)).toMatchObject({ live: false });
  });

  it("has only so many folders open, and none of what the newest is in is closed", async () => {
    const many = Array.from({ length: OPEN_MOST + 5 }, (_, n) => `d${n}/`);
    folders = { "": ["deep/", ...many], deep: ["er/"], "deep/er": ["f/"] };
    for (const name of many) folders[name.slice(0, -1)] = ["x"];
    const tree = await treeOf("deep", ...many.map((name) => name.slice(0, -1)), "deep/er");
    const open = ["deep", "deep/er", ...many.map((name) => name.slice(0, -1))].filter((path) =>
      tree.isOpen(path),
    );
    expect(open.length).toBe(OPEN_MOST - 1);
    expect(tree.isOpen("deep/er")).toBe(true);
    expect(tree.isOpen("d0")).toBe(false);
    expect(tree.isOpen(`d${OPEN_MOST + 4}`)).toBe(true);
  });

  it("tells each change to whoever listens, and nothing of a folder that was closed", async () => {
    const tree = await treeOf();
    let heard = 0;
    const leave = tree.subscribe(() => heard++);
    tree.reveal("a");
    tree.close("a");
    await settled();
    expect(heard).toBe(2);
    leave();
    tree.reveal("a");
    expect(heard).toBe(2);
  });
});
