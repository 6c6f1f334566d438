import { beforeEach, describe, expect, it } from "vitest";
import type { MessageAccepted } from "../../src/contracts.ts";
import type { TerminalCard, UserCard } from "../../src/stream/cards.ts";
import { Outbox, type OutMessage } from "../../src/stream/outbox.ts";
import { ThreadSession } from "../../src/stream/thread-session.ts";
import { caughtUp, finished, hello, output, said, started } from "./events.ts";
import { Rig } from "./rig.ts";

let ports: Rig;
let outbox: Outbox;
let session: ThreadSession;
let deliveries: ((accepted: MessageAccepted) => void)[];
let gone: number;
let leftOut: number;
let signedOut: number;

beforeEach(() => {
  ports = new Rig();
  deliveries = [];
  gone = leftOut = signedOut = 0;
  const storage = { load: () => [], save: () => {}, remove: () => {} };
  outbox = new Outbox(ports, storage, () => new Promise((resolve) => deliveries.push(resolve)));
  session = new ThreadSession({
    ...{ threadId: "t", ports, outbox },
    onGone: () => gone++,
    onLeftOut: () => leftOut++,
    onSignedOut: () => signedOut++,
  });
  session.open();
});

function arrive(...events: object[]): void {
  ports.socket.open();
  ports.socket.receive(hello(events.length));
  for (const event of events) ports.socket.receive(event);
  ports.socket.receive(caughtUp(events.length));
}

const message = (clientId: string): OutMessage => ({
  clientId,
  threadId: "t",
  text: "same text",
  uploads: [],
  createdMs: 0,
  during: "steer" as const,
});

const texts = () => {
  session.store.flush();
  return session.store.order().map((key) => (session.store.card(key) as UserCard).text);
};

describe("ThreadSession", () => {
  it("asks for everything at first and is live when it has caught up", () => {
    expect(ports.socket.url).toBe("/api/threads/t/stream?after=0");
    arrive(said(1, "a"), said(2, "b"));
    expect(session.state()).toBe("live");
    expect(texts()).toEqual(["a", "b"]);
  });

  it("asks for the rest after a loss, and shows nothing twice", () => {
    arrive(said(1, "a"));
    ports.socket.die();
    ports.pass(400);
    expect(ports.socket.url).toBe("/api/threads/t/stream?after=1");
    ports.socket.open();
    ports.socket.receive(hello(2));
    ports.socket.receive(said(1, "a"));
    ports.socket.receive(said(2, "b"));
    ports.socket.receive(caughtUp(2));
    expect(texts()).toEqual(["a", "b"]);
  });

  it("dials anew from where it stands when an event is missing", () => {
    arrive(said(1, "a"));
    ports.socket.receive(said(3, "c"));
    ports.socket.receive(said(4, "d"));
    ports.pass(250);
    expect(ports.sockets).toHaveLength(2);
    expect(ports.socket.url).toBe("/api/threads/t/stream?after=1");
    arrive(said(2, "b"), said(3, "c"), said(4, "d"));
    expect(texts()).toEqual(["a", "b", "c", "d"]);
  });

  it("does not dial when the missing event comes by itself", () => {
    arrive(said(1, "a"));
    ports.socket.receive(said(3, "c"));
    ports.socket.receive(said(2, "b"));
    ports.pass(1_000);
    expect(ports.sockets).toHaveLength(1);
    expect(texts()).toEqual(["a", "b", "c"]);
  });

  it("is not live while the replay was shorter than promised", () => {
    ports.socket.open();
    ports.socket.receive(hello(2));
    ports.socket.receive(said(1, "a"));
    ports.socket.receive(caughtUp(2));
    expect(session.state()).toBe("replaying");
    ports.pass(250);
    expect(ports.socket.url).toBe("/api/threads/t/stream?after=1");
  });

  it("notices a lost last event from the answer to a message", async () => {
    arrive();
    outbox.send(message("c1"));
    deliveries[0]?.({ seq: 1 } as MessageAccepted);
    await Promise.resolve();
    ports.pass(3_000);
    expect(ports.sockets).toHaveLength(2);
  });

  it("stays with the stream when the echo has come", async () => {
    arrive();
    outbox.send(message("c1"));
    deliveries[0]?.({ seq: 1 } as MessageAccepted);
    await Promise.resolve();
    ports.socket.receive(said(1, "same text", "c1"));
    ports.pass(3_000);
    expect(ports.sockets).toHaveLength(1);
    expect(session.store.card("c1")).toMatchObject({ send: null });
  });

  it("shows an unsent message after the record and lets the echo take its place by seq", () => {
    arrive(said(1, "a"));
    outbox.send(message("c1"));
    outbox.send(message("c2"));
    ports.socket.receive(said(2, "from elsewhere"));
    expect(texts()).toEqual(["a", "from elsewhere", "same text", "same text"]);
    ports.socket.receive(said(3, "same text", "c2"));
    expect(session.store.order()).toEqual(["m1", "m2", "c1", "c2"]);
    session.store.flush();
    expect(session.store.order()).toEqual(["m1", "m2", "c2", "c1"]);
    expect(outbox.of("t").map((entry) => entry.clientId)).toEqual(["c1"]);
  });

  it("begins anew when the record is another one, and keeps what is unsent", () => {
    arrive(said(1, "a"), said(2, "b"));
    outbox.send(message("c1"));
    ports.socket.die();
    ports.pass(400);
    ports.socket.open();
    ports.socket.receive(hello(1));
    expect(ports.socket.url).toBe("/api/threads/t/stream?after=0");
    arrive(said(1, "new"));
    expect(texts()).toEqual(["new", "same text"]);
  });

  it("says that it is outdated rather than misread a newer protocol", () => {
    ports.socket.open();
    ports.socket.receive(hello(0, {}, 2));
    expect(session.state()).toBe("outdated");
    ports.pass(60_000);
    expect(ports.sockets).toHaveLength(1);
  });

  it("keeps an event of a kind it does not know", () => {
    arrive(said(1, "a"), { type: "takeover.changed", seq: 2, at_ms: 0, data: {} }, said(3, "c"));
    session.store.flush();
    expect(session.store.order().map((key) => session.store.card(key)?.kind)).toEqual([
      "user",
      "opaque",
      "user",
    ]);
  });

  it("goes on from the tail after a reload in the middle of a command", () => {
    arrive(started(1, "c"));
    ports.socket.receive(output("c", 5, "6789"));
    ports.socket.receive(output("c", 9, "ab"));
    ports.paint();
    expect((session.store.card("c") as TerminalCard).tail).toMatchObject({ text: "6789ab", missing: 5 });
    ports.socket.die();
    ports.pass(400);
    ports.socket.open();
    ports.socket.receive(hello(1));
    ports.socket.receive(caughtUp(1));
    ports.socket.receive(output("c", 5, "6789abcd"));
    ports.paint();
    expect((session.store.card("c") as TerminalCard).tail).toMatchObject({ text: "6789abcd", missing: 5 });
    ports.socket.receive(finished(2, "c", { text: "x" }));
    ports.socket.receive(output("c", 13, "late"));
    ports.paint();
    expect(session.store.card("c")).toMatchObject({ finishedMs: 2, tail: { text: "6789abcd" } });
  });

  it("takes the computer's newest state from the greeting, not from an old event", () => {
    ports.socket.open();
    ports.socket.receive(hello(1, { state: "running", since_ms: 50 }));
    const old = { state: "standby", since_ms: 10, reason: null, commands: [] };
    ports.socket.receive({ type: "computer.status", seq: 1, at_ms: 0, data: old });
    ports.socket.receive(caughtUp(1));
    expect(session.store.facts().computer?.state).toBe("running");
  });

  it("does not dial for a thread that is gone until somebody looks again", () => {
    arrive(said(1, "a"));
    ports.socket.die(4404);
    expect(gone).toBe(1);
    ports.pass(60_000);
    expect(ports.sockets).toHaveLength(1);
    session.wake(0);
    expect(ports.sockets).toHaveLength(2);
  });

  it("does not dial for who does not belong to the owner any more", () => {
    arrive(said(1, "a"));
    ports.socket.die(4403);
    expect(leftOut).toBe(1);
    ports.pass(60_000);
    expect(ports.sockets).toHaveLength(1);
  });

  it.each([
    ["open", () => ports.socket.open()],
    ["not open yet", () => {}],
  ])("says at once that what it was opened with has ended while it is %s, and dials late", (_, before) => {
    before();
    ports.socket.die(4401);
    expect(signedOut).toBe(1);
    ports.pass(7_000);
    expect(ports.sockets).toHaveLength(1);
    ports.pass(8_000);
    expect(ports.sockets).toHaveLength(2);
  });

  it("opens again where it was closed", () => {
    arrive(said(1, "a"));
    session.close();
    expect(session.state()).toBe("offline");
    session.open();
    expect(ports.socket.url).toBe("/api/threads/t/stream?after=1");
  });

  describe("with cards of an earlier visit", () => {
    const old = (key: string): UserCard => ({
      ...{ kind: "user", key, at: 1, text: `old ${key}`, uploads: [], send: null, problem: null },
      ...{ runId: null, seq: 1, queued: false, routine: null, model: null, effort: null },
    });

    beforeEach(() => {
      session = new ThreadSession({ threadId: "t", ports, outbox });
      session.recall({ cards: [old("client-1"), old("gone")], run: null, computer: null, ms: 7 });
      session.open();
    });

    it("shows them, and says when it was so, but asks for everything", () => {
      expect(texts()).toEqual(["old client-1", "old gone"]);
      expect(session.store.facts()).toMatchObject({ keptMs: 7, caughtUp: false });
      expect(ports.socket.url).toBe("/api/threads/t/stream?after=0");
    });

    it("shows them until the whole record is there, over losses", () => {
      ports.socket.open();
      ports.socket.receive(hello(2));
      ports.socket.receive(said(1, "a"));
      expect(texts()).toEqual(["old client-1", "old gone"]);
      ports.socket.die();
      ports.pass(400);
      expect(ports.socket.url).toBe("/api/threads/t/stream?after=1");
      ports.socket.open();
      ports.socket.receive(hello(2));
      ports.socket.receive(said(2, "b"));
      ports.socket.receive(caughtUp(2));
      expect(texts()).toEqual(["a", "b"]);
      expect(session.store.facts()).toMatchObject({ keptMs: null, caughtUp: true });
      ports.socket.receive(said(3, "c"));
      expect(texts()).toEqual(["a", "b", "c"]);
    });

    it("keeps what waits to be sent at the end, and takes its echo once", () => {
      outbox.send(message("mine"));
      outbox.send({ ...message("later"), text: "later" });
      expect(texts()).toEqual(["old client-1", "old gone", "same text", "later"]);
      arrive(said(1, "same text", "mine"));
      expect(texts()).toEqual(["same text", "later"]);
      expect((session.store.card("mine") as UserCard).send).toBeNull();
      expect((session.store.card("later") as UserCard).send).toBe("queued");
    });

    it("wakes the rows that go and those that come", () => {
      const woken: string[] = [];
      for (const key of ["client-1", "gone"]) session.store.onCard(key, () => woken.push(key));
      arrive();
      session.store.flush();
      expect(woken).toEqual(["client-1", "gone"]);
      expect(session.store.card("gone")).toBeUndefined();
    });
  });
});
