// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import { isUnread, noteSeen, reading, seenIn, seenOf } from "../../src/app/seen.ts";
import type { Thread } from "../../src/contracts.ts";
import type { Card } from "../../src/stream/cards.ts";
import type { ThreadSession } from "../../src/stream/thread-session.ts";
import { withText } from "../../src/thread/card-text.ts";
import { rangesOf } from "../../src/thread/use-marked-words.ts";
import { firstNew } from "../../src/thread/use-reading.ts";

const thread = (part: Partial<Thread>): Thread => ({
  ...{ id: "t", bot_id: "b", title: "", created_ms: 0, updated_ms: 0, head_seq: 0, run: null },
  ...part,
});

describe("what was read", () => {
  beforeEach(() => reading.setState({ since: 1_000, threads: {} }));

  it("never goes back, and stays in the browser", () => {
    noteSeen("t", 5, 50);
    noteSeen("t", 3, 60);
    expect(seenOf("t")).toEqual({ seq: 5, at: 60 });
    expect(seenIn(localStorage.getItem("berth.seen.t"))).toEqual({ seq: 5, at: 60 });
  });

  it("leaves a thread unread that has more", () => {
    const { since } = reading.getState();
    expect(isUnread(thread({ head_seq: 6 }), { since, threads: { t: { seq: 5, at: 1 } } })).toBe(true);
    expect(isUnread(thread({ head_seq: 5 }), { since, threads: { t: { seq: 5, at: 1 } } })).toBe(false);
  });

  it("counts what is older than the first visit, and a thread without anything, as read", () => {
    const none = { since: 1_000, threads: {} };
    expect(isUnread(thread({ head_seq: 6, updated_ms: 999 }), none)).toBe(false);
    expect(isUnread(thread({ head_seq: 6, updated_ms: 1_001 }), none)).toBe(true);
    expect(isUnread(thread({ head_seq: 0, updated_ms: 1_001 }), none)).toBe(false);
  });

  it("is not guessed from what is no note of it", () => {
    for (const text of [null, "", "x", "1:y", "1.5:2"]) expect(seenIn(text)).toBeNull();
  });
});

const cards: Record<string, Card> = Object.fromEntries(
  (
    [
      { kind: "user", key: "a", at: 1, text: "Where is the Data?", uploads: [{ name: "x.csv" }] },
      { kind: "assistant", key: "b", at: 2, text: "In data.csv" },
      { kind: "user", key: "c", at: 3, text: "thanks", uploads: [] },
      { kind: "terminal", key: "d", at: 4, command: "cat data.csv", tail: { text: "1,2" }, result: null },
    ] as unknown as Card[]
  ).map((card) => [card.key, card]),
);
const order = ["a", "b", "c", "d"];
const session = { store: { card: (key: string) => cards[key] } } as unknown as ThreadSession;

describe("the line above what is new", () => {
  it("stands at the first card of somebody else that came after what was read", () => {
    expect(firstNew(session, order, 1)).toBe("b");
    expect(firstNew(session, order, 2)).toBe("d");
    expect(firstNew(session, order, 4)).toBeNull();
    expect(firstNew(session, order, null)).toBeNull();
  });
});

describe("searching in a thread", () => {
  const found = (query: string) => withText(order, (key) => cards[key], query, {});

  it("finds cards by what they say, run and hold, in either case", () => {
    expect(found("data")).toEqual(["a", "b", "d"]);
    expect(found("X.CSV")).toEqual(["a"]);
    expect(found("1,2")).toEqual(["d"]);
    expect(found("nowhere")).toEqual([]);
    expect(found("  ")).toEqual([]);
  });

  it("marks each place of the words, and none where a letter's other case is longer", () => {
    document.body.innerHTML = "<div><p>One <b>one</b> two</p><p>İone</p></div>";
    const root = document.body.firstElementChild as HTMLElement;
    expect(rangesOf(root, "one").map(String)).toEqual(["One", "one"]);
    expect(rangesOf(root, " ")).toEqual([]);
  });
});
