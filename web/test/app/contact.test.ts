// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError, Unreachable } from "../../src/api/http.ts";
import { contact, followContact, noteAnswer } from "../../src/app/contact.ts";
import type { SessionState } from "../../src/stream/thread-session.ts";

let state: SessionState = "live";
let tell = () => {};
const session = {
  state: () => state,
  onState: (listener: () => void) => {
    tell = listener;
    return () => {
      tell = () => {};
    };
  },
};

function turn(next: SessionState): void {
  state = next;
  tell();
}

let unfollow = () => {};

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  state = "live";
  contact.setState({ lostMs: null, answers: true });
  unfollow = followContact(session);
});

afterEach(() => {
  unfollow();
  vi.useRealTimers();
});

it("a short outage is none", () => {
  turn("offline");
  vi.advanceTimersByTime(2_900);
  turn("live");
  vi.advanceTimersByTime(60_000);
  expect(contact.getState().lostMs).toBeNull();
});

it("a longer one began when it was noticed, however often it is dialled meanwhile", () => {
  turn("offline");
  vi.advanceTimersByTime(2_000);
  turn("connecting");
  vi.advanceTimersByTime(1_000);
  expect(contact.getState().lostMs).toBe(1_003_000);
  turn("offline");
  turn("connecting");
  turn("replaying");
  vi.advanceTimersByTime(60_000);
  expect(contact.getState().lostMs).toBe(1_003_000);
  expect(document.documentElement.hasAttribute("data-out-of-touch")).toBe(true);
  turn("live");
  expect(contact.getState().lostMs).toBeNull();
  expect(document.documentElement.hasAttribute("data-out-of-touch")).toBe(false);
});

it("what was left says nothing any more", () => {
  turn("offline");
  unfollow();
  vi.advanceTimersByTime(60_000);
  expect(contact.getState().lostMs).toBeNull();
});

it("a server that cannot be asked does not answer; one that refuses does", async () => {
  const asked = (reason: Error) => noteAnswer(() => Promise.reject(reason)).catch(() => {});
  await asked(new Unreachable("no network"));
  expect(contact.getState().answers).toBe(false);
  await asked(new ApiError(404, { code: "not_found", message: "" }));
  expect(contact.getState().answers).toBe(true);
  await asked(new ApiError(502, { code: "internal", message: "" }));
  expect(contact.getState().answers).toBe(false);
  expect(await noteAnswer(() => Promise.resolve(7))).toBe(7);
  expect(contact.getState().answers).toBe(true);
});

it("a server that is silent does not answer until it does", async () => {
  let answer = (_: number) => {};
  const asking = noteAnswer(() => new Promise<number>((resolve) => (answer = resolve)));
  vi.advanceTimersByTime(3_000);
  expect(contact.getState().answers).toBe(false);
  answer(1);
  await asking;
  expect(contact.getState().answers).toBe(true);
});
