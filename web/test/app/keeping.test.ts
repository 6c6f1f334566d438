// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Owner, Problem } from "../../src/contracts.ts";
import type { ThreadSession } from "../../src/stream/thread-session.ts";
import { ThreadStore } from "../../src/stream/thread-store.ts";

/** The page as it starts: what it has decided at a start is not undone. */
async function started() {
  vi.resetModules();
  const keeping = await import("../../src/app/keeping.ts");
  const { directory } = await import("../../src/app/directory.ts");
  keeping.startKeeping();
  return { keeping, directory };
}

function session(caughtUp = true): ThreadSession {
  const store = new ThreadStore(() => {});
  store.put({ kind: "opaque", key: "a", at: 1, type: "x" });
  store.know({ caughtUp });
  store.flush();
  return { threadId: "t", store } as unknown as ThreadSession;
}

const known = (id = "o") => ({
  owner: { id } as Owner,
  bots: [],
  threads: [{ id: "t", title: "", head_seq: 1 }] as never,
  trouble: null,
});
const refusal = (code: Problem["code"]) => ({ trouble: { code, message: "" } });
const keys = () => Object.keys(localStorage).sort();
const kinds = () => keys().map((key) => key.split(".")[2]);

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
});

afterEach(() => vi.useRealTimers());

async function withKept() {
  const page = await started();
  page.directory.setState(known());
  page.keeping.keepSoon(session());
  vi.advanceTimersByTime(10_000);
  expect(kinds()).toEqual(["lists", "thread"]);
  return page;
}

it("what changed is kept a while later", withKept);

it("a thread whose record has not all come is not", async () => {
  const { keeping } = await started();
  keeping.keepSoon(session(false));
  vi.advanceTimersByTime(10_000);
  expect(keys()).toEqual([]);
});

it("a page that is put away keeps it at once", async () => {
  const { keeping } = await started();
  keeping.keepSoon(session());
  window.dispatchEvent(new Event("pagehide"));
  expect(kinds()).toEqual(["thread"]);
});

it("before the page knows that it is the server's, nothing is kept", async () => {
  vi.resetModules();
  const { keepSoon } = await import("../../src/app/keeping.ts");
  keepSoon(session());
  vi.advanceTimersByTime(10_000);
  expect(keys()).toEqual([]);
});

it.each(["unauthenticated", "being_deleted"] as const)("%s takes it away", async (code) => {
  const { directory, keeping } = await withKept();
  keeping.keepSoon(session());
  directory.setState(refusal(code));
  vi.advanceTimersByTime(10_000);
  expect(keys()).toEqual([]);
});

it("trouble of another kind does not", async () => {
  const { directory } = await withKept();
  directory.setState(refusal("internal"));
  directory.setState({ trouble: "unreachable" });
  vi.advanceTimersByTime(10_000);
  expect(kinds()).toEqual(["lists", "thread"]);
});

it("a deletion that is planned takes it away", async () => {
  const { directory } = await withKept();
  directory.setState({ owner: { id: "o", deletion_ms: 5 } as Owner, bots: null, threads: null });
  vi.advanceTimersByTime(10_000);
  expect(keys()).toEqual([]);
});

it("being taken out of a workspace takes it away, and what was due is not kept", async () => {
  const { directory, keeping } = await withKept();
  keeping.keepSoon(session());
  directory.setState({ owner: null, bots: null, threads: null, outside: "removed" });
  vi.advanceTimersByTime(10_000);
  expect(keys()).toEqual([]);
});

it("another person's page takes it away, also after a reload", async () => {
  await withKept();
  const { directory } = await started();
  directory.setState(known("another"));
  expect(keys()).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect(kinds()).toEqual(["lists"]);
});

it("after everything was forgotten nothing more is kept", async () => {
  const { directory, keeping } = await withKept();
  keeping.keepSoon(session());
  keeping.forgetAllContent();
  keeping.keepSoon(session());
  directory.setState(known());
  window.dispatchEvent(new Event("pagehide"));
  vi.advanceTimersByTime(10_000);
  expect(keys()).toEqual([]);
});

it("a thread that was deleted is not kept by what was due", async () => {
  const { keeping } = await withKept();
  keeping.keepSoon(session());
  keeping.forgetThread("t");
  vi.advanceTimersByTime(10_000);
  expect(kinds()).toEqual(["lists"]);
});
