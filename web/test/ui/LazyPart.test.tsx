// @vitest-environment happy-dom
import { cleanup, fireEvent, render } from "@testing-library/react";
import { lazy } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { en } from "../../src/i18n/en.ts";
import { LanguageProvider } from "../../src/i18n/text.ts";
import { LazyPart } from "../../src/ui/LazyPart.tsx";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function shown(part: { instead?: null; close?: () => void } = {}) {
  const Gone = lazy(() => Promise.reject(new TypeError("Failed to fetch dynamically imported module")));
  return render(
    <LanguageProvider value={{ locale: "en", text: en }}>
      <p>the rest</p>
      <LazyPart {...part}>
        <Gone />
      </LazyPart>
    </LanguageProvider>,
  );
}

describe("a part that cannot be loaded", () => {
  it("leaves the rest standing, and reloads only once the server answers", async () => {
    const reload = vi.spyOn(location, "reload").mockImplementation(() => {});
    const page = shown();
    await page.findByText(en.broken.part);
    page.getByText("the rest");
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    fireEvent.click(page.getByText(en.retry));
    await page.findByText(en.broken.unreached);
    expect(reload).not.toHaveBeenCalled();
    vi.stubGlobal("fetch", async () => new Response("<html></html>"));
    fireEvent.click(page.getByText(en.retry));
    await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce());
  });

  it("can be closed where it lies above the page", async () => {
    const close = vi.fn();
    const page = shown({ close });
    fireEvent.click(await page.findByText(en.close));
    expect(close).toHaveBeenCalledOnce();
  });

  it("is left out where it is not worth a word", async () => {
    const page = shown({ instead: null });
    await vi.waitFor(() => expect(console.error).toHaveBeenCalled());
    expect(page.container.textContent).toBe("the rest");
  });
});
