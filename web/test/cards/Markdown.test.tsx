// @vitest-environment happy-dom
import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import Markdown from "../../src/cards/Markdown.tsx";
import { en } from "../../src/i18n/en.ts";
import { LanguageProvider } from "../../src/i18n/text.ts";

function shown(text: string): HTMLElement {
  const language = { locale: "en" as const, text: en };
  return render(
    <LanguageProvider value={language}>
      <Markdown text={text} />
    </LanguageProvider>,
  ).container;
}

describe("Markdown", () => {
  it("loads no picture, and says whose it did not load", () => {
    const page = shown("![secret](https://tracker.example/p.png?d=secret)");
    expect(page.querySelector("img")).toBeNull();
    expect(page.textContent).toContain("Image from tracker.example not loaded");
  });

  it.each([
    ["markup", "<img src=x onerror=alert(1)><script>alert(1)</script>"],
    ["a frame", '<iframe src="https://evil.example"></iframe>'],
    ["a style", "<style>body{display:none}</style>"],
  ])("runs nothing of %s", (_, text) => {
    const page = shown(text);
    expect(page.querySelector("img, script, iframe, style")).toBeNull();
  });

  it.each(["javascript:alert(1)", "data:text/html,x", "vbscript:x", "/t/other", "#main"])(
    "makes no link of %s",
    (address) => {
      expect(shown(`[click](${address})`).querySelector("a")).toBeNull();
    },
  );

  it("opens links elsewhere and tells the other page nothing", () => {
    const link = shown("[page](https://example.com)").querySelector("a");
    expect(link?.rel).toBe("noopener noreferrer nofollow");
    expect(link?.target).toBe("_blank");
  });

  it("shows tables, lists and code", () => {
    const page = shown("| a |\n| - |\n| 1 |\n\n- x\n\n`y`");
    expect(page.querySelector("table td")?.textContent).toBe("1");
    expect(page.querySelector("ul li")?.textContent).toBe("x");
    expect(page.querySelector("code")?.textContent).toBe("y");
  });
});
