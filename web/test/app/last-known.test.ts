// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import * as known from "../../src/app/last-known.ts";
import { forgetContent } from "../../src/app/storage.ts";
import type { Bot, Owner, Thread } from "../../src/contracts.ts";
import type { AssistantCard } from "../../src/stream/cards.ts";
import { BEING_WRITTEN, ThreadStore, UNSENT } from "../../src/stream/thread-store.ts";

const NOW = 1_700_000_000_000;

const card = (key: string, text = key): AssistantCard => ({
  kind: "assistant",
  key,
  at: 1,
  runId: null,
  text,
  from: 0,
  attempt: Number.POSITIVE_INFINITY,
  done: true,
  ended: null,
});

function storeOf(...cards: AssistantCard[]): ThreadStore {
  const store = new ThreadStore(() => {});
  for (const one of cards) store.put(one);
  store.flush();
  return store;
}

const keysOf = (id: string, now = NOW) => known.knownThread(id, now)?.cards.map((one) => one.key);
const thread = (id: string) => ({ id, title: id, head_seq: 1 }) as Thread;
const lists = (...ids: string[]) => ({
  owner: { id: "o" } as Owner,
  bots: [{ id: "b" } as Bot],
  threads: ids.map(thread),
});

beforeEach(() => localStorage.clear());

describe("a thread", () => {
  it("comes back as it was", () => {
    known.keepThread("t", storeOf(card("a"), card("b")), NOW);
    expect(known.knownThread("t", NOW + 1)).toEqual({
      ms: NOW,
      run: null,
      computer: null,
      cards: [card("a"), card("b")],
    });
    expect(known.knownThread("u", NOW)).toBeNull();
  });

  it("is kept once, as it was last", () => {
    known.keepThread("t", storeOf(card("a")), NOW);
    known.keepThread("t", storeOf(card("a"), card("b")), NOW + 1);
    expect(keysOf("t")).toEqual(["a", "b"]);
    expect(localStorage).toHaveLength(1);
  });

  it("keeps neither what is being written nor what is not sent", () => {
    const store = storeOf(card("a"));
    store.put(card("half"), BEING_WRITTEN);
    store.put(card("unsent"), UNSENT);
    store.flush();
    known.keepThread("t", store, NOW);
    expect(keysOf("t")).toEqual(["a"]);
  });

  it("keeps its newest cards, as many and as long as there is room for", () => {
    const many = Array.from({ length: known.KEPT_CARDS + 5 }, (_, n) => card(`c${n}`));
    known.keepThread("t", storeOf(...many), NOW);
    expect(keysOf("t")).toEqual(many.slice(5).map((one) => one.key));
    const long = Array.from({ length: 40 }, (_, n) => card(`c${n}`, "x".repeat(15_000)));
    known.keepThread("t", storeOf(...long), NOW + 1);
    const kept = keysOf("t") ?? [];
    expect(kept.at(-1)).toBe("c39");
    expect(kept.length).toBeGreaterThan(10);
    expect(localStorage.getItem(localStorage.key(0) ?? "")?.length).toBeLessThan(
      known.KEPT_CHARACTERS + 1_000,
    );
  });

  it("keeps the beginning and the end of a text that is too long", () => {
    const text = `first${"x".repeat(1_000_000)}last`;
    known.keepThread("t", storeOf(card("a", text)), NOW);
    const [kept] = (known.knownThread("t", NOW)?.cards ?? []) as AssistantCard[];
    expect(kept?.text).toMatch(/^first.*\n⋯\n.*last$/s);
    expect(kept?.text.length).toBeLessThan(known.TEXT_CHARACTERS + 10);
  });

  it("is one of the last few", () => {
    for (let n = 0; n <= known.KEPT_THREADS; n++) known.keepThread(`t${n}`, storeOf(card("a")), NOW + n);
    expect(keysOf("t0")).toBeUndefined();
    expect(keysOf("t1")).toEqual(["a"]);
    expect(localStorage).toHaveLength(known.KEPT_THREADS);
  });

  it("is too old after a week, and then it goes", () => {
    known.keepThread("t", storeOf(card("a")), NOW);
    known.keepLists(lists("t"), NOW);
    expect(keysOf("t", NOW + known.KEPT_MS + 1)).toBeUndefined();
    expect(known.knownLists(NOW + known.KEPT_MS + 1)).toBeNull();
    known.forgetOld(NOW + known.KEPT_MS);
    expect(keysOf("t")).toEqual(["a"]);
    known.forgetOld(NOW + known.KEPT_MS + 1);
    expect(localStorage).toHaveLength(0);
  });

  it("that is not what was written down is none", () => {
    localStorage.setItem(`berth.kept.thread.own.t.${NOW}`, "{");
    localStorage.setItem("berth.kept.thread.own.u", "{}");
    expect(known.knownThread("t", NOW)).toBeNull();
    expect(known.knownThread("u", NOW)).toBeNull();
    known.forgetOld(NOW);
    known.forgetKnown(true);
    expect(localStorage).toHaveLength(0);
  });
});

describe("forgetting", () => {
  beforeEach(() => {
    known.keepThread("t", storeOf(card("a")), NOW);
    known.keepThread("u", storeOf(card("a")), NOW);
    localStorage.setItem(`berth.kept.thread.another.v.${NOW}`, "{}");
    known.keepLists(lists("t", "u"), NOW);
  });

  it("a thread that the server does not list any more is gone", () => {
    known.keepLists(lists("u"), NOW);
    expect(keysOf("t")).toBeUndefined();
    expect(keysOf("u")).toEqual(["a"]);
    expect(localStorage.getItem(`berth.kept.thread.another.v.${NOW}`)).not.toBeNull();
  });

  it("one thread", () => {
    known.forgetThread("t");
    expect(keysOf("t")).toBeUndefined();
    expect(keysOf("u")).toEqual(["a"]);
  });

  it("one owner, or all", () => {
    known.forgetKnown(false);
    expect(known.knownLists(NOW)).toBeNull();
    expect(localStorage).toHaveLength(1);
    known.forgetKnown(true);
    expect(localStorage).toHaveLength(0);
  });

  it("content takes it along", () => {
    forgetContent();
    expect(localStorage).toHaveLength(0);
  });
});
