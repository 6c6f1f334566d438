// @vitest-environment happy-dom
/** What may be asked of the page by whoever holds it, and what is passed over. */
import { describe, expect, it } from "vitest";
import { readOrder } from "../../src/embed/messages.ts";

const said = (fields: Record<string, unknown>) => ({ berth: 1, ...fields });

describe("an order of an app", () => {
  it.each([
    [{ type: "theme", theme: "dark" }],
    [{ type: "locale", locale: "zh-Hans" }],
    [{ type: "open", path: "/t/thr_1?at=m1" }],
    [{ type: "share", text: "one\ntwo" }],
    [{ type: "back" }],
  ])("%j is understood, as an object and as its text", (order) => {
    expect(readOrder(said(order), "app")).toEqual(order);
    expect(readOrder(JSON.stringify(said(order)), "app")).toEqual(order);
  });

  it("may leave out sides of the insets", () => {
    const insets = { top: 47, right: 0, bottom: 0, left: 0 };
    expect(readOrder(said({ type: "insets", top: 47 }), "app")).toEqual({ type: "insets", insets });
  });

  it.each([
    [null],
    ["{"],
    [[]],
    [{ type: "back" }],
    [{ berth: 2, type: "back" }],
    [said({ type: "eval", code: "alert(1)" })],
    [said({ type: "theme", theme: "x; background: url(//evil)" })],
    [said({ type: "locale", locale: "fr" })],
    [said({ type: "insets", top: "40px" })],
    [said({ type: "insets", top: -1 })],
    [said({ type: "insets", top: 401 })],
    [said({ type: "insets", top: Number.NaN })],
    [said({ type: "share", text: "" })],
    [said({ type: "share", text: "x".repeat(200_001) })],
    [said({ type: "share", text: { toString: "x" } })],
  ])("%j is none", (data) => {
    expect(readOrder(data, "app")).toBeNull();
  });

  it.each([
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "t/1",
    "/a b",
    1,
  ])("never leads to %s", (path) => {
    expect(readOrder(said({ type: "open", path }), "app")).toBeNull();
  });

  it("shares as much as a message takes", () => {
    const text = "x".repeat(200_000);
    expect(readOrder(said({ type: "share", text }), "app")).toEqual({ type: "share", text });
  });
});

describe("a page around a frame", () => {
  it.each([
    ["open", { path: "/" }],
    ["share", { text: "x" }],
    ["back", {}],
  ])("may not %s", (type, fields) => {
    expect(readOrder(said({ type, ...fields }), "frame")).toBeNull();
  });

  it("may say how the view looks", () => {
    expect(readOrder(said({ type: "theme", theme: "light" }), "frame")).not.toBeNull();
  });
});
