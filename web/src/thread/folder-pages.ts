/**
 * A folder of any size as the rows of a list: a page is asked for when one of its rows comes into view.
 *
 * The computer may fall asleep between two pages. What it last showed then takes the place of everything.
 */
import type { FolderEntry, Listing } from "../contracts.ts";

export type Sort = "name" | "size" | "time";

export const PAGE = 1_000;

export interface FolderView {
  readonly total: number;
  /** The folder has more than the computer lists. */
  readonly cut: boolean;
  readonly live: boolean;
  readonly at_ms: number;
  readonly entries: ReadonlyMap<number, FolderEntry>;
}

export interface FolderState {
  /** Null until something is known. */
  readonly view: FolderView | null;
  /** What the last question was refused with. */
  readonly reason: unknown;
}

export class FolderPages {
  private current: FolderState = { view: null, reason: null };
  private readonly asked = new Set<number>();
  private wanted: readonly [number, number] = [0, 0];
  private readonly listeners = new Set<() => void>();
  private readonly load: (offset: number) => Promise<Listing>;
  private readonly sort: Sort;

  constructor(load: (offset: number) => Promise<Listing>, sort: Sort) {
    this.load = load;
    this.sort = sort;
    this.ask(0);
  }

  readonly state = () => this.current;

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** These rows are in view, the last one included. */
  want(first: number, last: number): void {
    this.wanted = [first, last];
    const view = this.current.view;
    if (view === null || !view.live || this.current.reason !== null) return;
    const end = Math.min(last, view.total - 1);
    for (let page = Math.floor(first / PAGE); page * PAGE <= end; page++) this.ask(page);
  }

  /** Ask again for what failed. */
  retry(): void {
    this.set({ ...this.current, reason: null });
    if (this.current.view === null) this.ask(0);
    this.want(...this.wanted);
  }

  private ask(page: number): void {
    if (this.asked.has(page)) return;
    this.asked.add(page);
    this.load(page * PAGE).then(
      (listing) => this.take(page, listing),
      (reason: unknown) => {
        this.asked.delete(page);
        this.set({ ...this.current, reason });
      },
    );
  }

  private take(page: number, listing: Listing): void {
    const known = this.current.view;
    if (known !== null && !known.live) return;
    const entries = new Map(listing.live ? known?.entries : []);
    const found = listing.live ? listing.entries : sorted(listing.entries, this.sort);
    const start = listing.live ? page * PAGE : 0;
    for (const [index, entry] of found.entries()) entries.set(start + index, entry);
    const { cut = false, live, at_ms } = listing;
    // Asleep, the rows are those that were kept; how many there are beside them is said in words.
    this.set({ view: { total: listing.total, cut, live, at_ms, entries }, reason: null });
  }

  private set(state: FolderState): void {
    this.current = state;
    for (const listener of this.listeners) listener();
  }
}

/** As the computer sorts: folders first, equal ones by name, sizes and times from the largest. */
export function sorted(entries: readonly FolderEntry[], sort: Sort): FolderEntry[] {
  const key = (entry: FolderEntry) => (sort === "size" ? entry.size : entry.modified_ms);
  const names = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  return entries.toSorted(
    (a, b) =>
      Number(b.kind === "folder") - Number(a.kind === "folder") ||
      (sort === "name" ? 0 : key(b) - key(a)) ||
      names(a.name.toLowerCase(), b.name.toLowerCase()) ||
      names(a.name, b.name),
  );
}
