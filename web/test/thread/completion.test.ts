import { describe, expect, it } from "vitest";
import type { Handlers } from "../../src/app/commands.ts";
import type { Artifact, FolderEntry } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import { completed, splitPath, tokenAt, writtenPath } from "../../src/thread/completion.ts";
import { fitting } from "../../src/thread/mentions.ts";
import { LINE_WORDS, slashCommands } from "../../src/thread/slash.ts";

const at = (text: string) => tokenAt(text, text.length);

describe("what stands before the caret", () => {
  it.each([
    ["/", { kind: "command", from: 0, query: "", first: true }],
    ["/re", { kind: "command", from: 0, query: "re", first: true }],
    ["one\n/ex", { kind: "command", from: 4, query: "ex", first: false }],
    ["@", { kind: "file", from: 0, query: "" }],
    ["look at @src/ma", { kind: "file", from: 8, query: "src/ma" }],
    ["看（@数", { kind: "file", from: 2, query: "数" }],
  ])("%j asks for a list", (text, token) => {
    expect(at(text)).toEqual(token);
  });

  it.each(["", "a/b", "see /tmp", "/read x", "mail a@b.c", "@a b", "1 / 2"])("%j asks for none", (text) => {
    expect(at(text)).toBeNull();
  });

  it("is no command of the page where something follows", () => {
    expect(tokenAt("/st and more", 3)).toEqual({ kind: "command", from: 0, query: "st", first: false });
  });

  it("is replaced, with the caret behind it", () => {
    const token = at("look at @ma");
    expect(token && completed("look at @ma, please", token, 11, "main.py ")).toEqual({
      text: "look at main.py , please",
      caret: 16,
    });
  });
});

describe("what a slash offers", () => {
  const can: Handlers = { stop: () => {}, settings: () => {} };
  const words = (query: string, first: boolean, manual: boolean) =>
    slashCommands(query, first, manual, can, en).map(({ word }) => word);

  it("is what can be done now, and to a bot without a model its lines", () => {
    expect(words("", true, false)).toEqual(["stop", "settings"]);
    expect(words("", true, true)).toEqual([...LINE_WORDS, "stop", "settings"]);
  });

  it("begins with what is written, and is nothing of the page where that is not all", () => {
    expect(words("s", true, true)).toEqual(["stop", "settings"]);
    expect(words("S", true, false)).toEqual(["stop", "settings"]);
    expect(words("", false, true)).toEqual(LINE_WORDS);
    expect(words("", false, false)).toEqual([]);
  });
});

describe("the files that fit", () => {
  const entry = (name: string, kind: FolderEntry["kind"] = "file"): FolderEntry => ({
    ...{ name, kind, size: 1, modified_ms: 0 },
  });
  const result = (name: string) => ({ name }) as Artifact;
  const entries = [
    entry("main.py"),
    entry("src", "folder"),
    entry(".env"),
    entry("my main.txt"),
    entry("s", "other"),
  ];

  it("are those of the folder with the name in them, and those that begin so come first", () => {
    expect(fitting("main", entries, [])).toEqual([
      { kind: "file", path: "main.py" },
      { kind: "file", path: "my main.txt" },
    ]);
    expect(fitting("lib/MAIN", entries, [])[0]).toEqual({ kind: "file", path: "lib/main.py" });
  });

  it("leave out what is hidden until a dot is written, and what is no file", () => {
    expect(fitting("", entries, []).map(({ path }) => path)).toEqual(["main.py", "src", "my main.txt"]);
    expect(fitting(".", entries, []).map(({ path }) => path)).toEqual([".env", "main.py", "my main.txt"]);
  });

  it("have the results beside them, each name once", () => {
    expect(fitting("m", [entry("main.py")], [result("main.py"), result("mean.csv")])).toEqual([
      { kind: "file", path: "main.py" },
      { kind: "result", path: "mean.csv" },
    ]);
    expect(fitting("src/m", [], [result("mean.csv")])).toEqual([]);
  });

  it("are looked for folder by folder, and written so that their blanks are seen", () => {
    expect(splitPath("a/b/c")).toEqual({ folder: "a/b", name: "c" });
    expect(splitPath("c")).toEqual({ folder: "", name: "c" });
    expect(writtenPath("a b.txt")).toBe("`a b.txt`");
    expect(writtenPath("a.txt")).toBe("a.txt");
  });
});
