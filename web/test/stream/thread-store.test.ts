import { describe, expect, it } from "vitest";
import type { Card } from "../../src/stream/cards.ts";
import { BEING_WRITTEN, RECORDED, ThreadStore, UNSENT } from "../../src/stream/thread-store.ts";
import { Rig } from "./rig.ts";

const line = (key: string, at = 0): Card => ({ kind: "opaque", key, at, type: "x" });

function rig() {
  const ports = new Rig();
  const store = new ThreadStore(ports.frame);
  const seen: string[] = [];
  store.onOrder(() => seen.push("order"));
  for (const key of ["a", "b"]) store.onCard(key, () => seen.push(key));
  return { ports, store, seen };
}

describe("ThreadStore", () => {
  it("keeps the ranks apart, whatever comes when", () => {
    const { store } = rig();
    store.put(line("mine"), UNSENT);
    store.put(line("writing"), BEING_WRITTEN);
    store.put(line("first"), RECORDED);
    store.put(line("second"), RECORDED);
    store.flush();
    expect(store.order()).toEqual(["first", "second", "writing", "mine"]);
  });

  it("lets a card take its place in the record under the same key", () => {
    const { store } = rig();
    store.put(line("mine"), UNSENT);
    store.put(line("theirs"), UNSENT);
    store.put(line("other"), RECORDED);
    store.put(line("theirs", 1), RECORDED);
    store.flush();
    expect(store.order()).toEqual(["other", "theirs", "mine"]);
  });

  it("wakes only the row that changed", () => {
    const { ports, store, seen } = rig();
    store.put(line("a"));
    store.put(line("b"));
    ports.paint();
    seen.length = 0;
    store.patch("a", (card) => ({ ...card, at: 5 }));
    ports.paint();
    expect(seen).toEqual(["a"]);
  });

  it("announces many changes once a frame", () => {
    const { ports, store, seen } = rig();
    for (let i = 0; i < 500; i++) store.put(line("a", i));
    expect(ports.frames).toHaveLength(1);
    ports.paint();
    expect(seen).toEqual(["order", "a"]);
  });

  it("gives the same order until it says that it changed", () => {
    const { ports, store } = rig();
    store.put(line("a"));
    ports.paint();
    const before = store.order();
    store.put(line("b"));
    expect(store.order()).toBe(before);
    ports.paint();
    expect(store.order()).toEqual(["a", "b"]);
  });

  it("stays silent when a patch changes nothing", () => {
    const { ports, store, seen } = rig();
    store.put(line("a"));
    ports.paint();
    seen.length = 0;
    store.patch("a", (card) => card);
    store.patch("missing", (card) => ({ ...card, at: 1 }));
    ports.paint();
    expect(seen).toEqual([]);
  });

  it("keeps what is unsent when the record is forgotten", () => {
    const { store } = rig();
    store.put(line("a"));
    store.put(line("mine"), UNSENT);
    store.reset();
    store.flush();
    expect(store.order()).toEqual(["mine"]);
    expect(store.card("a")).toBeUndefined();
  });
});
