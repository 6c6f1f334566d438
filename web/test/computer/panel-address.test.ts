// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { moved, tabOf } from "../../src/computer/panel-address.ts";

const leads = (before: string, ...rest: [Parameters<typeof moved>[1], Parameters<typeof moved>[2]?]) =>
  moved(new URLSearchParams(before), ...rest).toString();

describe("the address of what is open in the computer", () => {
  it("keeps the place in the conversation and no place of another tab", () => {
    expect(leads("at=m1&panel=terminal&command=c1", "files", { path: "a b" })).toBe(
      "at=m1&panel=files&path=a+b",
    );
    expect(leads("", "terminal")).toBe("panel=terminal");
    expect(leads("at=m1&panel=files&path=a", null)).toBe("at=m1");
  });

  it("names only tabs that there are", () => {
    expect(tabOf("files")).toBe("files");
    expect(tabOf("browser")).toBeNull();
    expect(tabOf(null)).toBeNull();
  });
});
