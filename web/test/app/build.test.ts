// @vitest-environment happy-dom
/** Which build of the page this is, and what a kept one does before it knows. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const html = (...parts: string[]) => parts.map((part) => `<link href="/assets/${part}">`).join("");

async function page(parts: string[], kept = false) {
  vi.resetModules();
  document.head.innerHTML = html(...parts);
  if (kept) document.documentElement.setAttribute("data-kept", "");
  else document.documentElement.removeAttribute("data-kept");
  const [built, http] = [await import("../../src/app/build.ts"), await import("../../src/api/http.ts")];
  return { ...built, ask: http.ask, Unreachable: http.Unreachable };
}

const serves = (...parts: string[]) => new Response(html(...parts));

let fetched = vi.fn<typeof fetch>();
beforeEach(() => {
  fetched = vi.fn<typeof fetch>();
  vi.stubGlobal("fetch", fetched);
  sessionStorage.clear();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("the standing of a page", () => {
  it.each([
    ["same", () => serves("b.css", "a.js")],
    ["other", () => serves("a.js", "c.css")],
    ["other", () => serves("a.js")],
    ["unreachable", () => new Response("", { status: 503 })],
  ])("is %s", async (standing, answer) => {
    const { standing: found } = await page(["a.js", "b.css"]);
    // What is loaded on demand is named in the document too, and does not make it another one.
    document.head.innerHTML += html("lazy.js");
    fetched.mockResolvedValue(answer());
    expect(await found()).toBe(standing);
  });

  it("is unreachable without a network", async () => {
    const { standing } = await page(["a.js"]);
    fetched.mockRejectedValue(new TypeError("Failed to fetch"));
    expect(await standing()).toBe("unreachable");
  });
});

describe("a kept page", () => {
  it("asks nothing of the API before it is known to be the server's own", async () => {
    const { whenCurrent, ask, Unreachable } = await page(["a.js"], true);
    const answers = [() => Promise.reject(new TypeError("no network")), async () => serves("a.js")];
    fetched.mockImplementation(() => answers.shift()?.() ?? Promise.resolve(new Response("{}")));
    const begin = vi.fn();
    const current = whenCurrent(begin);
    await expect(ask("GET", "/api/me")).rejects.toBeInstanceOf(Unreachable);
    expect(begin).not.toHaveBeenCalled();
    window.dispatchEvent(new Event("online"));
    await current;
    expect(begin).toHaveBeenCalledOnce();
    expect(fetched.mock.calls.map(([path]) => path)).toEqual(["/", "/"]);
    expect(await ask("GET", "/api/me")).toEqual({});
  });

  it("of another build reloads once and does not begin", async () => {
    const { whenCurrent } = await page(["a.js"], true);
    const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined);
    fetched.mockImplementation(async () => serves("b.js"));
    const begin = vi.fn();
    void whenCurrent(begin);
    await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce());
    window.dispatchEvent(new Event("online"));
    await vi.waitFor(() => expect(fetched.mock.calls.length).toBeGreaterThan(1));
    expect([reload.mock.calls.length, begin.mock.calls.length]).toEqual([1, 0]);
  });
});

describe("a page from the server", () => {
  it("begins at once", async () => {
    const { whenCurrent } = await page(["a.js"]);
    const begin = vi.fn();
    void whenCurrent(begin);
    expect(begin).toHaveBeenCalledOnce();
    expect(fetched).not.toHaveBeenCalled();
  });

  it("says so once there is a newer one, when somebody comes back after a while", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { watchBuild, build } = await page(["a.js"]);
    fetched.mockImplementation(async () => serves("b.js"));
    watchBuild();
    window.dispatchEvent(new Event("online"));
    expect(fetched).not.toHaveBeenCalled();
    vi.setSystemTime(Date.now() + 5 * 60_000);
    window.dispatchEvent(new Event("online"));
    await vi.waitFor(() => expect(build.getState().outdated).toBe(true));
  });
});
