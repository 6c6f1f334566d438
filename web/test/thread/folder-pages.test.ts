import { describe, expect, it } from "vitest";
import type { FolderEntry, Listing } from "../../src/contracts.ts";
import { FolderPages, PAGE, type Sort, sorted } from "../../src/thread/folder-pages.ts";

const entry = (name: string, kind: FolderEntry["kind"] = "file", size = 0, modified_ms = 0): FolderEntry => ({
  name,
  kind,
  size,
  modified_ms,
});

/** A folder of so many files; each question is kept until it is answered. */
function folder(total: number, sort: Sort = "name") {
  const asked: number[] = [];
  const open = new Map<number, { answer: (listing: Listing) => void; refuse: (reason: unknown) => void }>();
  const pages = new FolderPages((offset) => {
    asked.push(offset);
    return new Promise((answer, refuse) => open.set(offset, { answer, refuse }));
  }, sort);
  const page = (offset: number): Listing => ({
    path: "",
    entries: Array.from({ length: Math.min(PAGE, total - offset) }, (_, n) => entry(`f${offset + n}`)),
    total,
    at_ms: 1,
    live: true,
  });
  const settled = () => new Promise((done) => setTimeout(done));
  return {
    pages,
    asked,
    answer: (offset: number, listing: Partial<Listing> = {}) => {
      open.get(offset)?.answer({ ...page(offset), ...listing });
      return settled();
    },
    refuse: (offset: number, reason: unknown) => {
      open.get(offset)?.refuse(reason);
      return settled();
    },
  };
}

describe("FolderPages", () => {
  it("asks for the first page at once, and for each further page once, when it is wanted", async () => {
    const { pages, asked, answer } = folder(10_000);
    expect(pages.state()).toEqual({ view: null, reason: null });
    await answer(0);
    expect(pages.state().view?.total).toBe(10_000);
    expect(asked).toEqual([0]);
    pages.want(990, 1_010);
    pages.want(995, 1_015);
    pages.want(9_980, 9_999);
    expect(asked).toEqual([0, 1_000, 9_000]);
    await answer(9_000);
    const { view } = pages.state();
    expect(view?.entries.get(9_999)?.name).toBe("f9999");
    expect(view?.entries.has(1_000)).toBe(false);
    await answer(1_000);
    expect(pages.state().view?.entries.size).toBe(3_000);
  });

  it("asks for nothing behind the end", async () => {
    const { pages, asked, answer } = folder(1_000);
    await answer(0);
    pages.want(0, 5_000);
    expect(asked).toEqual([0]);
  });

  it("tells each change to whoever listens", async () => {
    const { pages, answer } = folder(3);
    let heard = 0;
    const leave = pages.subscribe(() => heard++);
    await answer(0);
    expect(heard).toBe(1);
    leave();
    pages.retry();
    expect(heard).toBe(1);
  });

  it("keeps what is known when a page fails, and asks again for the rows in view only when told to", async () => {
    const { pages, asked, answer, refuse } = folder(2_000);
    await answer(0);
    pages.want(1_500, 1_520);
    await refuse(1_000, "no");
    expect(pages.state().reason).toBe("no");
    expect(pages.state().view?.entries.size).toBe(1_000);
    pages.want(1_500, 1_520);
    expect(asked).toEqual([0, 1_000]);
    pages.retry();
    expect(asked).toEqual([0, 1_000, 1_000]);
    await answer(1_000);
    expect(pages.state()).toMatchObject({ reason: null, view: { total: 2_000 } });
    expect(pages.state().view?.entries.size).toBe(2_000);
  });

  it("asks again for a folder of which nothing is known", async () => {
    const { pages, asked, answer, refuse } = folder(1);
    await refuse(0, "no");
    pages.retry();
    expect(asked).toEqual([0, 0]);
    await answer(0);
    expect(pages.state().view?.entries.size).toBe(1);
  });

  it("shows only what was last seen once the computer has fallen asleep", async () => {
    const { pages, asked, answer } = folder(3_000, "size");
    await answer(0);
    pages.want(1_000, 2_999);
    const entries = [entry("small", "file", 1), entry("large", "file", 9)];
    await answer(2_000, { live: false, entries });
    await answer(1_000);
    const { view } = pages.state();
    expect(view?.live).toBe(false);
    expect([...(view?.entries.values() ?? [])].map((one) => one.name)).toEqual(["large", "small"]);
    pages.want(0, 2_999);
    expect(asked).toEqual([0, 1_000, 2_000]);
  });
});

describe("sorted", () => {
  const entries = [
    entry("b", "file", 5, 1),
    entry("A", "file", 5, 3),
    entry("z", "folder", 0, 2),
    entry("c", "file", 7, 2),
    entry("y", "folder", 0, 9),
  ];
  it.each<[Sort, string]>([
    ["name", "y z A b c"],
    ["size", "y z c A b"],
    ["time", "y z A c b"],
  ])("by %s", (sort, names) => {
    expect(
      sorted(entries, sort)
        .map((one) => one.name)
        .join(" "),
    ).toBe(names);
  });
});
