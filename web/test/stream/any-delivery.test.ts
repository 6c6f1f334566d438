/**
 * However frames are cut off, lost, repeated and put out of order on their way, the thread ends as it was recorded.
 *
 * A record is drawn, and how each of several connections carries it: how far the server was by then, after how many
 * frames it broke off, and what happened to the frames before. The last connection carries everything. Whatever fails
 * is shrunk to the least that fails, and its seed is in the failure.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Card } from "../../src/stream/cards.ts";
import { Outbox } from "../../src/stream/outbox.ts";
import { EMPTY_TAIL } from "../../src/stream/tail.ts";
import { ThreadSession } from "../../src/stream/thread-session.ts";
import type { ThreadStore } from "../../src/stream/thread-store.ts";
import {
  answered,
  caughtUp,
  computer,
  delta,
  finished,
  hello,
  output,
  run,
  said,
  started,
} from "./events.ts";
import { Rig } from "./rig.ts";

const RUNS = 300;
const REDIALLED_MS = 20_000;
const STEP_MS = 50;

type Act = { kind: "say" | "answer" | "command" | "run" | "computer" | "unknown"; text: string };
/** What is sent: recorded events in their order, and hints that nobody keeps between them. */
type Frames = { frame: object; seq: number | null }[];

const acts = fc.array(
  fc.record<Act>({
    kind: fc.constantFrom("say", "answer", "command", "run", "computer", "unknown"),
    text: fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  }),
  { minLength: 1, maxLength: 25 },
);

/** A connection: how far the record was, where it broke off (both in hundredths), and what befell the frames. */
const carried = fc.record({
  head: fc.nat(100),
  cut: fc.nat(100),
  mishaps: fc.array(
    fc.record({
      what: fc.constantFrom("lose", "repeat", "move"),
      at: fc.nat(200),
      by: fc.integer({ min: -20, max: 20 }),
    }),
    { maxLength: 30 },
  ),
});
type Carried = typeof carried extends fc.Arbitrary<infer T> ? T : never;

function framesOf(drawn: readonly Act[]): Frames {
  const frames: Frames = [];
  let seq = 0;
  const keep = (make: (seq: number) => object) => {
    seq++;
    frames.push({ frame: make(seq), seq });
  };
  const hint = (frame: object) => frames.push({ frame, seq: null });
  for (const [n, { kind, text }] of drawn.entries()) {
    if (kind === "say") keep((at) => said(at, text, `c${n}`));
    else if (kind === "run") keep((at) => run(at, n % 2 === 0 ? "running" : "done"));
    else if (kind === "computer") keep((at) => computer(at, n % 2 === 0 ? "running" : "standby", at));
    else if (kind === "unknown")
      keep((at) => ({ type: "from.the.future", seq: at, at_ms: at, data: { text } }));
    else if (kind === "answer") {
      for (const [offset, piece] of [...text].entries()) hint(delta(`a${n}`, offset, piece));
      keep((at) => answered(at, text, `a${n}`));
    } else {
      keep((at) => started(at, `t${n}`));
      hint(output(`t${n}`, 0, text));
      hint(output(`t${n}`, [...text].length, text));
      keep((at) => finished(at, `t${n}`, { text }));
    }
  }
  return frames;
}

/** The frames as they arrive. */
function befallen(frames: readonly object[], { mishaps, cut }: Carried): object[] {
  const arriving = [...frames];
  for (const { what, at, by } of mishaps) {
    const place = at % Math.max(1, arriving.length);
    const [frame] = arriving.slice(place, place + 1);
    if (frame === undefined) continue;
    if (what !== "repeat") arriving.splice(place, 1);
    const to = Math.min(arriving.length, Math.max(0, place + by));
    if (what !== "lose") arriving.splice(to, 0, frame);
  }
  return arriving.slice(0, Math.round((arriving.length * cut) / 100));
}

/** What a server sends to one who asks for everything after `after`: the record first, and then what happens. */
function sent(frames: Frames, after: number, head: number): object[] {
  const recorded = frames.filter(({ seq }) => seq !== null && seq > after && seq <= head);
  const later = frames.filter(({ seq }) => seq === null || seq > head);
  return [...recorded.map(({ frame }) => frame), caughtUp(head), ...later.map(({ frame }) => frame)];
}

const withoutTail = (card: Card): Card => (card.kind === "terminal" ? { ...card, tail: EMPTY_TAIL } : card);
const cardsOf = (store: ThreadStore) => {
  store.flush();
  return store.order().map((key) => [key, store.card(key)] as const);
};

/** A page to which everything came once and in order. */
function asRecorded(frames: Frames): ThreadStore {
  const ports = new Rig();
  const session = new ThreadSession({ threadId: "t", ports, outbox: outboxOf(ports) });
  session.open();
  ports.socket.open();
  const events = frames.filter(({ seq }) => seq !== null);
  ports.socket.receive(hello(events.length));
  for (const { frame } of events) ports.socket.receive(frame);
  ports.socket.receive(caughtUp(events.length));
  return session.store;
}

const outboxOf = (ports: Rig) =>
  new Outbox(ports, { load: () => [], save: () => {}, remove: () => {} }, () => new Promise(() => {}));

/** Waits for the next socket, and not so long that it is given up again. */
function dialledAgain(ports: Rig): void {
  for (let waited = 0; ports.socket.state !== "connecting"; waited += STEP_MS) {
    if (waited > REDIALLED_MS) throw new Error("it was not dialled again");
    ports.pass(STEP_MS);
  }
}

function carriedBy(connections: readonly Carried[], drawn: readonly Act[], frames: Frames) {
  const ports = new Rig();
  const outbox = outboxOf(ports);
  const session = new ThreadSession({ threadId: "t", ports, outbox });
  // Every other message is one that this page has sent, and whose answer never came.
  for (const [n, { kind, text }] of drawn.entries()) {
    if (kind !== "say" || n % 2 === 1) continue;
    outbox.send({ clientId: `c${n}`, threadId: "t", text, uploads: [], createdMs: 0, during: "steer" });
  }
  session.open();
  const last = frames.filter(({ seq }) => seq !== null).length;
  const asked = () => Number(new URL(ports.socket.url, "http://t").searchParams.get("after"));
  for (const connection of connections) {
    // No record is shorter than what was already shown of it.
    const head = Math.max(session.cursor, Math.round((last * connection.head) / 100));
    const { socket } = ports;
    socket.open();
    socket.receive(hello(head));
    for (const frame of befallen(sent(frames, asked(), head), connection)) {
      // It may have had enough of this connection, and dialled anew.
      if (ports.socket === socket && socket.state === "open") socket.receive(frame);
    }
    if (ports.socket === socket && socket.state === "open") socket.die();
    dialledAgain(ports);
  }
  const { socket } = ports;
  socket.open();
  socket.receive(hello(last));
  for (const frame of sent(frames, asked(), last).slice(0, last - asked() + 1)) socket.receive(frame);
  return { session, outbox };
}

describe("a thread", () => {
  it("ends as it was recorded, whatever befalls its frames on the way", () => {
    fc.assert(
      fc.property(acts, fc.array(carried, { maxLength: 6 }), (drawn, connections) => {
        const frames = framesOf(drawn);
        const { session, outbox } = carriedBy(connections, drawn, frames);
        const expected = asRecorded(frames);
        const strip = ([key, card]: readonly [string, Card | undefined]) => [key, card && withoutTail(card)];
        expect(cardsOf(session.store).map(strip)).toEqual(cardsOf(expected).map(strip));
        expect(session.store.facts().run).toEqual(expected.facts().run);
        expect(session.state()).toBe("live");
        expect(outbox.of("t")).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});
