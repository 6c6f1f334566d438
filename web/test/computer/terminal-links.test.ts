import { describe, expect, it } from "vitest";
import { openable } from "../../src/computer/terminal-links.ts";

describe("a link in a terminal", () => {
  it.each(["https://example.com/a?b=1#c", "http://127.0.0.1:8000/"])("leads to %s", (url) => {
    expect(openable(url)).toBe(url);
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "blob:https://example.com/x",
    "ftp://example.com",
    "https://bank.example@elsewhere.example/",
    "https://:x@elsewhere.example/",
    "//elsewhere.example",
    "not a link",
    "",
  ])("does not lead to %s", (url) => {
    expect(openable(url)).toBeNull();
  });
});
