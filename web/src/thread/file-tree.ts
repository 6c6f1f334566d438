/**
 * Folders within folders as the rows of one list. A folder is listed when it is opened, page by page as `FolderPages`
 * does it, and only so many are open at once. What is asked for anew stands until its answer is there.
 */
import { folderOf, nameOf, within } from "../computer/file-places.ts";
import type { FolderEntry, Listing } from "../contracts.ts";
import { FolderPages, type FolderState, type FolderView, type Sort } from "./folder-pages.ts";

export const OPEN_MOST = 100;

/** `hidden`: asleep, there are more than were kept. `cut`: the computer lists no more. */
export type Remark = "loading" | "empty" | "failed" | "hidden" | "cut";

export interface EntryRow {
  readonly key: string;
  readonly path: string;
  /** Undefined while its page is on its way. */
  readonly entry: FolderEntry | undefined;
  readonly level: number;
  /** From 1, of `of` in its folder. */
  readonly place: number;
  readonly of: number;
  readonly open: boolean;
  readonly live: boolean;
}

export interface RemarkRow {
  readonly key: string;
  readonly folder: string;
  readonly remark: Remark;
  readonly level: number;
  readonly state: FolderState;
}

export type TreeRow = EntryRow | RemarkRow;

export const isRemark = (row: TreeRow): row is RemarkRow => "remark" in row;

/** Rows that follow each other: entries of one folder from `from` on, or one remark about it. */
interface Piece {
  readonly start: number;
  readonly count: number;
  readonly folder: string;
  readonly level: number;
  readonly from: number;
  readonly remark: Remark | null;
}

export interface TreeView {
  readonly count: number;
  readonly pieces: readonly Piece[];
  /** Of the workspace itself. */
  readonly root: FolderState;
}

interface Open {
  pages: FolderPages;
  /** What was asked for anew and has not answered. */
  next: FolderPages | null;
  leave: () => void;
}

type Load = (path: string, sort: Sort, offset: number) => Promise<Listing>;

const NOTHING: FolderState = { view: null, reason: null };
const countOf = (view: FolderView) => (view.live ? view.total : view.entries.size);
const isIn = (folder: string, path: string) =>
  folder === "" || path === folder || path.startsWith(`${folder}/`);

/** Where each folder stands among the entries: folders come first, however they are sorted. */
function placesOf(view: FolderView): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, { kind, name }] of view.entries) if (kind === "folder") places.set(name, index);
  return places;
}

export class FileTree {
  readonly #load: Load;
  #sort: Sort;
  /** In the order in which they were opened. */
  readonly #open = new Map<string, Open>();
  readonly #places = new WeakMap<FolderView, Map<string, number>>();
  readonly #listeners = new Set<() => void>();
  #view: TreeView = { count: 0, pieces: [], root: NOTHING };

  constructor(load: Load, sort: Sort) {
    this.#load = load;
    this.#sort = sort;
    this.#begin("");
    this.#changed();
  }

  readonly state = (): TreeView => this.#view;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  isOpen(path: string): boolean {
    return this.#open.has(path);
  }

  stateOf(folder: string): FolderState {
    return this.#open.get(folder)?.pages.state() ?? NOTHING;
  }

  /** Opens a folder and all that it is in. */
  reveal(path: string): void {
    const parts = path === "" ? [] : path.split("/");
    for (const depth of parts.keys()) this.#begin(parts.slice(0, depth + 1).join("/"));
    this.#closeMost(path);
    this.#changed();
  }

  /** What is open in it is forgotten with it. */
  close(path: string): void {
    for (const one of [...this.#open.keys()]) if (path !== "" && isIn(path, one)) this.#end(one);
    this.#changed();
  }

  /** Asks for everything that is open anew. */
  refresh(sort = this.#sort): void {
    this.#sort = sort;
    for (const [path, open] of [...this.#open]) {
      if (open.pages.state().view === null) {
        this.#end(path);
        this.#begin(path);
        continue;
      }
      const next = this.#pages(path);
      open.next = next;
      const leave = next.subscribe(() => {
        leave();
        if (open.next !== next) return;
        open.leave();
        open.pages = next;
        open.next = null;
        open.leave = next.subscribe(() => this.#changed());
        this.#changed();
      });
    }
    this.#changed();
  }

  retry(folder: string): void {
    this.#open.get(folder)?.pages.retry();
    this.#changed();
  }

  /** These rows are in view, the last one included. */
  want(first: number, last: number): void {
    for (const { start, count, folder, from, remark } of this.#view.pieces) {
      if (remark !== null || start > last || start + count <= first) continue;
      const begin = from + Math.max(0, first - start);
      this.#open.get(folder)?.pages.want(begin, from + Math.min(count - 1, last - start));
    }
  }

  row(at: number): TreeRow | undefined {
    const piece = this.#view.pieces.findLast(({ start }) => start <= at);
    if (piece === undefined || at >= piece.start + piece.count) return undefined;
    const { folder, level, remark } = piece;
    const state = this.stateOf(folder);
    if (remark !== null) return { key: `${remark}:${folder}`, folder, remark, level, state };
    const index = piece.from + at - piece.start;
    const view = state.view as FolderView;
    const entry = view.entries.get(index);
    const path = entry === undefined ? "" : within(folder, entry.name);
    return {
      key: entry === undefined ? `coming:${folder}:${index}` : `at:${path}`,
      path,
      entry,
      level,
      place: index + 1,
      of: countOf(view),
      open: entry?.kind === "folder" && this.#open.has(path),
      live: view.live,
    };
  }

  /** The row of a path, -1 where it is not among those that are known. */
  rowOf(path: string): number {
    const folder = folderOf(path);
    const view = this.stateOf(folder).view;
    if (path === "" || view === null) return -1;
    let index = this.#placesIn(view).get(nameOf(path));
    if (index === undefined) {
      for (const [at, { name }] of view.entries) if (name === nameOf(path)) index = at;
    }
    if (index === undefined) return -1;
    const at = index;
    const piece = this.#view.pieces.find(
      (one) => one.folder === folder && one.remark === null && one.from <= at && at < one.from + one.count,
    );
    return piece === undefined ? -1 : piece.start + at - piece.from;
  }

  #pages(path: string): FolderPages {
    const sort = this.#sort;
    return new FolderPages((offset) => this.#load(path, sort, offset), sort);
  }

  #begin(path: string): void {
    if (this.#open.has(path)) return;
    const pages = this.#pages(path);
    this.#open.set(path, { pages, next: null, leave: pages.subscribe(() => this.#changed()) });
  }

  #end(path: string): void {
    const open = this.#open.get(path);
    if (open === undefined) return;
    open.leave();
    open.next = null;
    this.#open.delete(path);
  }

  /** The oldest go, but for the one that was just opened and what it is in. */
  #closeMost(but: string): void {
    for (const path of [...this.#open.keys()]) {
      if (this.#open.size <= OPEN_MOST) return;
      if (isIn(path, but)) continue;
      for (const one of [...this.#open.keys()]) if (isIn(path, one)) this.#end(one);
    }
  }

  #placesIn(view: FolderView): Map<string, number> {
    const known = this.#places.get(view) ?? placesOf(view);
    this.#places.set(view, known);
    return known;
  }

  #changed(): void {
    const pieces: Piece[] = [];
    let start = 0;
    const add = (folder: string, level: number, count: number, from: number, remark: Remark | null) => {
      if (count <= 0) return;
      pieces.push({ start, count, folder, level, from, remark });
      start += count;
    };
    const walk = (folder: string, level: number) => {
      const { view, reason } = this.stateOf(folder);
      if (view === null) return add(folder, level, 1, 0, reason === null ? "loading" : "failed");
      let from = 0;
      for (const [index, path] of this.#openIn(folder, view)) {
        add(folder, level, index + 1 - from, from, null);
        from = index + 1;
        walk(path, level + 1);
      }
      const count = countOf(view);
      add(folder, level, count - from, from, null);
      if (count === 0) add(folder, level, 1, 0, "empty");
      if (reason !== null) add(folder, level, 1, 0, "failed");
      if (!view.live && view.total > count) add(folder, level, 1, 0, "hidden");
      if (view.cut) add(folder, level, 1, 0, "cut");
    };
    walk("", 1);
    this.#view = { count: start, pieces, root: this.stateOf("") };
    for (const listener of this.#listeners) listener();
  }

  /** The open folders in one, by their places in it. One that is not there any more is not shown. */
  #openIn(folder: string, view: FolderView): [number, string][] {
    const found: [number, string][] = [];
    for (const path of this.#open.keys()) {
      if (path === "" || folderOf(path) !== folder) continue;
      const index = this.#placesIn(view).get(nameOf(path));
      if (index !== undefined) found.push([index, path]);
    }
    return found.sort(([a], [b]) => a - b);
  }
}
