/** A report of a failure tells where, and nothing of what was said. */
import { describe, expect, it } from "vitest";
import { kindOfPage, reportOf } from "../../src/app/report.ts";

const HERE = {
  version: "0.1.0",
  path: "/t/thr_secret",
  agent: "Mozilla/5.0",
  language: "en",
  size: [430, 932] as const,
};

function failing(message: string, frames = "    at x (https://berth.example/assets/index-Ab_1.js:12:345)") {
  const error = new TypeError(message);
  error.stack = `TypeError: ${message}\n${frames}`;
  return error;
}

describe("a report", () => {
  it("names the place in the program and the kind of failure", () => {
    const report = reportOf(failing("x is undefined"), HERE);
    expect(report).toBe(
      "Berth 0.1.0, /t/…, en, 430x932\nMozilla/5.0\nTypeError\n  at assets/index-Ab_1.js:12:345",
    );
  });

  it.each([
    "my password is swordfish",
    'Unexpected token s, "swordfish" is not valid JSON',
    "swordfish (https://berth.example/assets/swordfish.js:1:2)",
    "two\nlines with swordfish /assets/swordfish.js:1:2",
  ])("holds nothing of the message %j", (message) => {
    const report = reportOf(failing(message), HERE);
    expect(report).not.toContain("swordfish");
    expect(report).toContain("assets/index-Ab_1.js:12:345");
  });

  it("holds nothing of what was thrown that is no error, or that pretends to a name", () => {
    expect(reportOf("swordfish", HERE)).not.toContain("swordfish");
    expect(reportOf(Object.assign(failing("x"), { name: "swordfish" }), HERE)).not.toContain("swordfish");
  });

  it("holds no address but those of the page's own scripts", () => {
    const frames = "    at https://elsewhere.example/secret.js:1:2\n    at blob:https://berth.example/x:3:4";
    expect(reportOf(failing("x", frames), HERE)).toContain("at an unknown place");
  });
});

describe("the kind of page", () => {
  it.each([
    ["/", "/"],
    ["/t/thr_1", "/t/…"],
    ["/settings/trading", "/settings/…"],
    ["/share", "/share"],
    ["/something/else", "/"],
  ])("of %s is %s", (path, kind) => {
    expect(kindOfPage(path)).toBe(kind);
  });
});
