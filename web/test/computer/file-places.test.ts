import { describe, expect, it } from "vitest";
import {
  folderOf,
  fromWorkspace,
  mention,
  nameOf,
  within,
  wrongName,
} from "../../src/computer/file-places.ts";

describe("a path", () => {
  it("is a folder and a name", () => {
    for (const path of ["a", "a/b", "a/b/c.txt"]) expect(within(folderOf(path), nameOf(path))).toBe(path);
  });

  it("is the same whether a call gave it from the root or from where it works", () => {
    for (const path of ["/workspace/a/b", "a/b", "./a/b", "././a/b"]) expect(fromWorkspace(path)).toBe("a/b");
  });

  it("is told to a bot so that its end is plain", () => {
    expect(mention("data/a.csv")).toBe("@data/a.csv ");
    expect(mention("my files/a.csv")).toBe('@"my files/a.csv" ');
    expect(mention('a"b')).toBe('@"a\\"b" ');
  });

  it("has names that lead nowhere else", () => {
    expect(wrongName(" ")).toBe("empty");
    expect(wrongName("a/../b")).toBe("dots");
    expect(wrongName(".")).toBe("dots");
    expect(wrongName("..a/b")).toBeNull();
  });
});
