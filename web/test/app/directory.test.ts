// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from "vitest";
import {
  addBot,
  directory,
  noteThread,
  refresh,
  refreshThreads,
  removeThread,
  renameThread,
} from "../../src/app/directory.ts";
import type { Thread } from "../../src/contracts.ts";

const thread = (id: string, part: Partial<Thread> = {}): Thread => ({
  ...{ id, bot_id: "b", title: id, created_ms: 1, updated_ms: 1, head_seq: 1, run: null },
  ...part,
});

/** Each request is kept until it is answered, in whatever order. */
let open: { said: string; answer: (body: unknown) => Promise<void> }[];

const settled = () => new Promise<void>((resolve) => setTimeout(resolve));

async function answer(said: string, body: unknown, place = 0): Promise<void> {
  const found = open.filter((one) => one.said === said)[place];
  if (found === undefined) throw new Error(`nobody asked ${said}`);
  open = open.filter((one) => one !== found);
  await found.answer(body);
}

const titles = () => directory.getState().threads?.map((one) => one.title);
const threads = (...items: Thread[]) => ({ items });

beforeEach(() => {
  open = [];
  directory.setState({ owner: null, bots: [], threads: [thread("old")], trouble: null });
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    open.push({
      said: `${init.method} ${path}`,
      answer: (body) => {
        resolve(body === null ? new Response(null, { status: 204 }) : Response.json(body));
        return settled();
      },
    });
    return promise;
  });
});

it("asks again when a thread was deleted before the list came that still has it", async () => {
  const asking = refreshThreads();
  const removing = removeThread(thread("old"));
  await answer("DELETE /api/threads/old", null);
  await removing;
  await answer("GET /api/threads", threads(thread("old")));
  expect(titles()).toEqual([]);
  await answer("GET /api/threads", threads());
  await asking;
  expect(titles()).toEqual([]);
  expect(open).toEqual([]);
});

it("keeps a new title, and a new bot, that a slow list does not know", async () => {
  void refresh();
  const renaming = renameThread("old", "new");
  await answer("PATCH /api/threads/old", thread("old", { title: "new" }));
  await renaming;
  const adding = addBot({ name: "Quill" });
  await answer("POST /api/bots", { id: "b", name: "Quill" });
  await adding;
  await answer("GET /api/me", { locale: "en" });
  await answer("GET /api/threads", threads(thread("old")));
  await answer("GET /api/bots", { items: [] });
  expect(titles()).toEqual(["new"]);
  await answer("GET /api/threads", threads(thread("old", { title: "new" })));
  await answer("GET /api/bots", { items: [{ id: "b", name: "Quill" }] });
  expect(titles()).toEqual(["new"]);
  expect(directory.getState().bots?.map((bot) => bot.name)).toEqual(["Quill"]);
});

it("does not go back to an answer that was asked for earlier and comes later", async () => {
  const [first, second] = [refreshThreads(), refreshThreads()];
  await answer("GET /api/threads", threads(thread("old"), thread("newest")), 1);
  await second;
  await answer("GET /api/threads", threads(thread("old")));
  await first;
  expect(titles()).toEqual(["old", "newest"]);
});

it("keeps what the stream has told of a thread beyond the list, and only while it is newer", async () => {
  const asking = refreshThreads();
  noteThread("old", { headSeq: 5, at: 9 });
  await answer("GET /api/threads", threads(thread("old", { title: "named", head_seq: 3, updated_ms: 7 })));
  await asking;
  expect(directory.getState().threads?.[0]).toMatchObject({ title: "named", head_seq: 5, updated_ms: 9 });
  // A record that was begun anew is shorter, and younger.
  const again = refreshThreads();
  await answer("GET /api/threads", threads(thread("old", { head_seq: 2, updated_ms: 10 })));
  await again;
  expect(directory.getState().threads?.[0]?.head_seq).toBe(2);
});
