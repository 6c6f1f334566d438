/** The keys of a tree of files: which row has the focus, and where a key leads (the ARIA treeview pattern). */
import { type KeyboardEvent, type RefObject, useRef, useState } from "react";
import { folderOf } from "../computer/file-places.ts";
import { type FileTree, isRemark, type TreeView } from "./file-tree.ts";

/** What is typed within this time is one word. */
const WORD_MS = 700;
/** How far a letter is looked for: rows that have not come have no name. */
const LOOKED_THROUGH = 5_000;

interface TreeActs {
  toggle: (path: string) => void;
  /** What Enter does with a row. */
  act: (at: number) => void;
}

export interface TreeKeys {
  /** The row that Tab leads to. */
  readonly active: number;
  /** Whether a key has just led there, so that the focus has to follow. */
  readonly moved: RefObject<boolean>;
  readonly be: (at: number) => void;
  readonly press: (event: KeyboardEvent) => void;
}

/** The next row from `from` on whose name begins so, coming round at the end; -1 where there is none. */
export function rowNamed(tree: FileTree, count: number, from: number, word: string): number {
  for (let step = 0; step < Math.min(count, LOOKED_THROUGH); step++) {
    const at = (from + step) % count;
    const row = tree.row(at);
    if (row === undefined || isRemark(row)) continue;
    if (row.entry?.name.toLowerCase().startsWith(word)) return at;
  }
  return -1;
}

/** The row a key leads to, -1 for none; `toggle` where it opens or closes the folder of this row. */
export function led(tree: FileTree, count: number, at: number, key: string): number | "toggle" {
  const row = tree.row(at);
  switch (key) {
    case "ArrowDown":
      return Math.min(at + 1, count - 1);
    case "ArrowUp":
      return Math.max(at - 1, 0);
    case "Home":
      return 0;
    case "End":
      return count - 1;
  }
  if (row === undefined) return -1;
  const folder = !isRemark(row) && row.entry?.kind === "folder";
  if (key === "ArrowRight") {
    if (!folder) return -1;
    return row.open ? at + 1 : "toggle";
  }
  if (key !== "ArrowLeft") return -1;
  if (folder && row.open) return "toggle";
  return tree.rowOf(isRemark(row) ? row.folder : folderOf(row.path));
}

export function useTreeKeys(
  tree: FileTree,
  view: TreeView,
  from: string | null,
  { toggle, act }: TreeActs,
): TreeKeys {
  const [at, setAt] = useState({ key: from === null ? "" : `at:${from}`, index: 0 });
  const moved = useRef(false);
  const typed = useRef({ word: "", ms: 0 });
  // Rows come and go above it: it is known by what it is, and only then by where it was.
  const last = Math.max(0, view.count - 1);
  const known = at.key.startsWith("at:") ? tree.rowOf(at.key.slice(3)) : at.index;
  const active = Math.min(known === -1 ? at.index : known, last);

  const be = (index: number) => {
    const key = tree.row(index)?.key ?? "";
    if (key !== at.key || index !== at.index) setAt({ key, index });
  };
  const go = (index: number) => {
    if (index < 0) return;
    moved.current = true;
    setAt({ key: tree.row(index)?.key ?? "", index });
  };

  const letter = (key: string) => {
    const now = performance.now();
    const word = (now - typed.current.ms < WORD_MS ? typed.current.word : "") + key.toLowerCase();
    typed.current = { word, ms: now };
    go(rowNamed(tree, view.count, word.length === 1 ? active + 1 : active, word));
  };

  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const row = tree.row(active);
    if (event.key === "Enter" || event.key === " ") act(active);
    else if (event.key.length === 1 && event.key !== "?") letter(event.key);
    else {
      const to = led(tree, view.count, active, event.key);
      if (to === -1) return;
      if (to !== "toggle") go(to);
      else if (row !== undefined && !isRemark(row)) toggle(row.path);
    }
    event.preventDefault();
  };
  return { active, moved, be, press };
}
