/** The service worker as the browser runs it: a script on its own, with a pretended browser around it. */
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";

const SOURCE = readFileSync(new URL("../../worker/service-worker.js", import.meta.url), "utf8");
const SHELL = { version: "1", parts: "", files: [] };
const ORIGIN = "https://berth.example";

type Handler = (event: Record<string, unknown>) => void;

function started(open: { url: string; focus: () => string }[] = []) {
  const handlers = new Map<string, Handler>();
  const browser = {
    shown: [] as [string, Record<string, unknown>][],
    opened: [] as string[],
    asked: [] as [string, RequestInit][],
    subscribed: [] as unknown[],
    /** Plays an event, and waits for what it is to be kept awake for. */
    async play(name: string, event: Record<string, unknown> = {}) {
      const waits: unknown[] = [];
      handlers.get(name)?.({ ...event, waitUntil: (one: unknown) => waits.push(one) });
      return await Promise.all(waits);
    },
  };
  const self = {
    location: { origin: ORIGIN },
    addEventListener: (name: string, handler: Handler) => handlers.set(name, handler),
    skipWaiting: () => undefined,
    clients: {
      claim: () => undefined,
      matchAll: async () => open,
      openWindow: async (url: string) => browser.opened.push(url),
    },
    registration: {
      showNotification: async (title: string, options: Record<string, unknown>) =>
        browser.shown.push([title, options]),
      pushManager: {
        subscribe: async (options: unknown) => {
          browser.subscribed.push(options);
          return { toJSON: () => ({ endpoint: "https://push.example/2", keys: { p256dh: "p", auth: "a" } }) };
        },
      },
    },
  };
  const fetch = async (url: string, init: RequestInit) => browser.asked.push([url, init]);
  runInNewContext(SOURCE, { self, URL, fetch, SHELL });
  return browser;
}

const pushed = (message: unknown) => ({ data: { json: () => message } });
const MESSAGE = { id: "approval:int_1", title: "Approval needed", body: "Data", path: "/t/thr_1" };

describe("a push", () => {
  it("is shown with what it says, one for each event", async () => {
    const browser = started();
    await browser.play("push", pushed(MESSAGE));
    const options = { body: "Data", tag: "approval:int_1", icon: "/icon.svg", data: { path: "/t/thr_1" } };
    expect(browser.shown).toEqual([["Approval needed", options]]);
  });

  it.each([
    ["is empty", { data: null }],
    ["is no JSON", { data: { json: () => JSON.parse("{") } }],
    ["is of another shape", pushed({ title: 5 })],
  ])("that %s is shown all the same", async (_, event) => {
    const browser = started();
    await browser.play("push", event);
    expect(browser.shown.map(([title]) => title)).toEqual(["Berth"]);
  });
});

describe("a click", () => {
  const clicked = (path: unknown) => ({ notification: { close: vi.fn(), data: { path } } });

  it("opens the thread", async () => {
    const browser = started();
    const event = clicked("/t/thr_1");
    await browser.play("notificationclick", event);
    expect(event.notification.close).toHaveBeenCalled();
    expect(browser.opened).toEqual([`${ORIGIN}/t/thr_1`]);
  });

  it("goes to the page that shows it already", async () => {
    const focus = vi.fn(() => "focused");
    const browser = started([{ url: `${ORIGIN}/t/thr_1`, focus }]);
    await browser.play("notificationclick", clicked("/t/thr_1"));
    expect([focus.mock.calls.length, browser.opened]).toEqual([1, []]);
  });

  it.each(["https://elsewhere.example/", "//elsewhere.example/", "javascript:alert(1)"])(
    "never leads to %s",
    async (path) => {
      const browser = started();
      await browser.play("notificationclick", clicked(path));
      expect(browser.opened).toEqual([`${ORIGIN}/`]);
    },
  );
});

describe("a subscription that the browser has changed", () => {
  it("is made anew with the same key and told to the server", async () => {
    const browser = started();
    const key = new ArrayBuffer(65);
    await browser.play("pushsubscriptionchange", {
      oldSubscription: { options: { applicationServerKey: key } },
      newSubscription: null,
    });
    expect(browser.subscribed).toEqual([{ userVisibleOnly: true, applicationServerKey: key }]);
    const [[url, init] = ["", {}]] = browser.asked;
    expect(url).toBe("/api/notices/subscriptions");
    expect(JSON.parse(String(init.body))).toEqual({
      endpoint: "https://push.example/2",
      keys: { p256dh: "p", auth: "a" },
    });
  });
});
