// @vitest-environment happy-dom
// @vitest-environment-options { "url": "http://berth.test/o/owner_1/t/thread_1" }
import { beforeEach, expect, it, vi } from "vitest";
import { resume } from "../../src/api/http.ts";
import { directory, leaveBehind, refresh, refreshThreads } from "../../src/app/directory.ts";
import type { Owner, Thread } from "../../src/contracts.ts";

const OWNER = { id: "owner_1", locale: "en", time_zone: "UTC", role: "member" } as Owner;
const THREAD = { id: "thread_1", updated_ms: 1, head_seq: 1 } as Thread;
const ALL: Record<string, unknown> = {
  "/api/owners/owner_1/me": OWNER,
  "/api/owners/owner_1/bots": { items: [] },
  "/api/owners/owner_1/threads": { items: [THREAD] },
};

let asked: string[];
let refused: { status: number; code: string } | null;

beforeEach(() => {
  asked = [];
  refused = null;
  resume();
  directory.setState({ owner: OWNER, bots: [], threads: [THREAD], trouble: null, outside: null });
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(path);
    return refused === null
      ? Response.json(ALL[path])
      : Response.json({ code: refused.code, message: "" }, { status: refused.status });
  });
});

it("keeps and asks for nothing of a workspace that its person was taken out of", async () => {
  leaveBehind();
  await Promise.all([refresh(), refreshThreads()]);
  const { outside, owner, bots, threads } = directory.getState();
  expect({ outside, owner, bots, threads }).toEqual({
    outside: "removed",
    owner: null,
    bots: null,
    threads: null,
  });
  expect(asked).toEqual([]);
});

it("takes no answer any more that was on its way when they were taken out", async () => {
  const late = [refresh(), refreshThreads()];
  leaveBehind();
  await Promise.all(late);
  expect(asked).toHaveLength(4);
  expect(directory.getState()).toMatchObject({ outside: "removed", owner: null, bots: null, threads: null });
});

it("stops asking where the server knows of no such workspace", async () => {
  refused = { status: 404, code: "not_found" };
  await refreshThreads();
  expect(directory.getState()).toMatchObject({ outside: "unknown", threads: null });
  await refreshThreads();
  expect(asked).toHaveLength(1);
});

it("goes on where something else is wrong", async () => {
  refused = { status: 503, code: "internal" };
  await refreshThreads();
  expect(directory.getState()).toMatchObject({ outside: null, owner: OWNER });
  refused = null;
  await refreshThreads();
  expect(directory.getState().trouble).toBeNull();
});
