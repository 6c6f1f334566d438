// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/app/commands.ts";
import { neighbour } from "../../src/app/page-commands.ts";
import { found } from "../../src/app/palette-entries.ts";
import { isPlain, matches, type Press, written } from "../../src/app/shortcuts.ts";
import type { Thread } from "../../src/contracts.ts";

const press = (key: string, ...held: string[]): Press => ({
  key,
  ctrlKey: held.includes("Ctrl"),
  metaKey: held.includes("Meta"),
  altKey: held.includes("Alt"),
  shiftKey: held.includes("Shift"),
});

describe("keys", () => {
  it("are Ctrl elsewhere and ⌘ on a Mac, and never both", () => {
    expect(matches("Mod+K", press("k", "Ctrl"), false)).toBe(true);
    expect(matches("Mod+K", press("k", "Meta"), false)).toBe(false);
    expect(matches("Mod+K", press("k", "Meta"), true)).toBe(true);
    expect(matches("Mod+K", press("k", "Ctrl"), true)).toBe(false);
    expect(matches("Mod+K", press("k", "Ctrl", "Meta"), true)).toBe(false);
  });

  it("need just what they name", () => {
    expect(matches("Mod+K", press("K", "Ctrl", "Shift"), false)).toBe(false);
    expect(matches("Mod+Shift+O", press("O", "Ctrl", "Shift"), false)).toBe(true);
    expect(matches("Mod+Shift+O", press("o", "Ctrl"), false)).toBe(false);
    expect(matches("Alt+ArrowUp", press("ArrowUp", "Alt"), false)).toBe(true);
    expect(matches("Alt+ArrowUp", press("ArrowUp"), false)).toBe(false);
  });

  it("that are one sign do not ask for Shift, which each keyboard has elsewhere", () => {
    expect(matches("?", press("?", "Shift"), false)).toBe(true);
    expect(matches("?", press("?"), true)).toBe(true);
    expect(matches("?", press("?", "Ctrl"), false)).toBe(false);
    expect(isPlain("?")).toBe(true);
    expect(isPlain("Mod+K")).toBe(false);
  });

  it("are each one command's, and so are the words behind a slash", () => {
    for (const part of ["keys", "slash"] as const) {
      const all = COMMANDS.flatMap((command) => command[part] ?? []);
      expect(new Set(all).size).toBe(all.length);
    }
  });

  it("are written as they stand on the keyboard", () => {
    expect(written("Mod+Shift+O", false)).toEqual(["Ctrl", "Shift", "O"]);
    expect(written("Mod+Shift+O", true)).toEqual(["⌘", "⇧", "O"]);
    expect(written("Alt+ArrowUp", false)).toEqual(["Alt", "↑"]);
  });
});

describe("the palette", () => {
  const entries = [
    { id: "1", label: "Settings of this bot" },
    { id: "2", label: "New thread" },
    { id: "3", label: "The bot's thread", also: "new" },
  ];
  const ids = (query: string) => found(entries, query).map(({ id }) => id);

  it("finds by all words, in either case, the better the earlier they stand", () => {
    expect(ids("")).toEqual(["1", "2", "3"]);
    expect(ids("THREAD")).toEqual(["2", "3"]);
    expect(ids("new")).toEqual(["2", "3"]);
    expect(ids("bot set")).toEqual(["1"]);
    expect(ids("hread")).toEqual(["2", "3"]);
    expect(ids("nothing")).toEqual([]);
    const settings = [
      { id: "bot", label: "Settings of this bot" },
      { id: "all", label: "Settings" },
    ];
    expect(found(settings, "SETTINGS ").map(({ id }) => id)).toEqual(["all", "bot"]);
  });
});

describe("the thread above and below", () => {
  const thread = (id: string, bot_id: string) => ({ id, bot_id }) as Thread;
  const threads = [thread("1", "b"), thread("2", "a"), thread("3", "b")];
  const bots = [{ id: "a" }, { id: "b" }];
  const next = (current: string | null, by: -1 | 1) => neighbour(threads, bots, current, by)?.id ?? null;

  it("is the one beside it in the list, which goes by bots", () => {
    expect([next("2", 1), next("1", 1), next("3", -1)]).toEqual(["1", "3", "1"]);
    expect([next("2", -1), next("3", 1)]).toEqual([null, null]);
    expect([next(null, 1), next(null, -1)]).toEqual(["2", "3"]);
    expect(neighbour([], bots, null, 1)).toBeNull();
  });
});
