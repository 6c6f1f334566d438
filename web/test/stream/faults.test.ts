/**
 * The whole client against a real server that loses frames, repeats frames and drops the connection.
 *
 * Whatever happens on the way, the page must end with exactly what the server recorded. The faults are drawn
 * from a seed, so a failure can be repeated.
 */
import { setTimeout as rest } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { MessageAccepted } from "../../src/contracts.ts";
import type { Card } from "../../src/stream/cards.ts";
import type { Ports } from "../../src/stream/connection.ts";
import { Outbox } from "../../src/stream/outbox.ts";
import { applyEvent, runIsOver } from "../../src/stream/record.ts";
import { EMPTY_TAIL } from "../../src/stream/tail.ts";
import { ThreadSession } from "../../src/stream/thread-session.ts";
import { ThreadStore } from "../../src/stream/thread-store.ts";
import { type MockServer, serve } from "../mock/server.ts";
import { type Room, World } from "../mock/world.ts";

const DEADLINE_MS = 60_000;
const LOST = 0.12;
const LOST_LEAST = 10;
const REPEATED = 0.03;
const UNANSWERED = 0.3;

/** Mulberry32: small, and the same everywhere. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`);
    await rest(10);
  }
}

function portsTo(server: MockServer, random: () => number): Ports {
  return {
    open: (path) =>
      new WebSocket(server.url.replace("http", "ws") + path) as unknown as ReturnType<Ports["open"]>,
    later: (run, ms) => {
      // A tenth of the pauses, so that the test sees many of them.
      const timer = setTimeout(run, ms / 10);
      return () => clearTimeout(timer);
    },
    frame: (run) => void setTimeout(run, 5),
    now: () => performance.now(),
    random,
  };
}

const withoutTail = (card: Card): Card => (card.kind === "terminal" ? { ...card, tail: EMPTY_TAIL } : card);

function recorded(room: Room): Card[] {
  const store = new ThreadStore(() => {});
  for (const event of room.events) applyEvent(store, event);
  return [...store.cards()].map(withoutTail);
}

let server: MockServer | null = null;
let session: ThreadSession | null = null;

afterEach(async () => {
  session?.close();
  await server?.close();
});

const MESSAGES = [
  "$ for i in $(seq 1 40); do echo line $i; sleep 0.01; done",
  "hello",
  "same",
  "same",
  "$ plot",
  "same",
  "$ for i in $(seq 1 60); do echo line $i; sleep 0.01; done",
  "same",
  "$ pytest -q",
  "same",
  "same",
  "? which one",
];

describe("the client under faults", () => {
  it.each([11, 29, 47])("ends with what the server recorded, seed %i", async (seed) => {
    const random = seeded(seed);
    let trouble = true;
    let lost = 0;
    const lose = () => {
      const loses = trouble && random() < LOST;
      if (loses) lost++;
      return loses;
    };
    const faults = { lose, repeat: () => trouble && random() < REPEATED };
    const world = new World({ faults });
    const room = world.addThread(world.addBot({ name: "Quill" }).id);
    server = await serve(world);
    const { url } = server;
    const ports = portsTo(server, random);
    const outbox = new Outbox(
      ports,
      { load: () => [], save: () => {}, remove: () => {} },
      async (message) => {
        const body = JSON.stringify({ client_id: message.clientId, text: message.text, upload_ids: [] });
        const answer = await fetch(`${url}/api/threads/${room.thread.id}/messages`, { method: "POST", body });
        // The server has the message, and its answer is lost.
        if (trouble && random() < UNANSWERED) throw new TypeError("lost on the way");
        return (await answer.json()) as MessageAccepted;
      },
    );
    session = new ThreadSession({ threadId: room.thread.id, ports, outbox });
    session.open();

    const say = (clientId: string, text: string) =>
      outbox.send({
        ...{ clientId, threadId: room.thread.id, text },
        ...{ uploads: [], createdMs: 0, during: "steer" as const },
      });
    for (const [index, text] of MESSAGES.entries()) {
      say(`client-${seed}-${index}`, text);
      await rest(40);
      if (index % 2 === 1) server.cut();
    }
    // On a slow machine most of it was said while nobody listened, and nothing of that can be lost.
    let sent = MESSAGES.length;
    const more = () => {
      if (lost < LOST_LEAST && room.accepted.size === sent)
        say(`client-${seed}-${sent++}`, "$ for i in $(seq 1 60); do echo line $i; sleep 0.01; done");
      return lost >= LOST_LEAST;
    };
    await until("frames were lost", more);
    await until("every message is in the record", () => room.accepted.size === sent);
    await until("the runs are over", () => {
      const states = new Map(
        room.events.flatMap((one) => (one.type === "run.status" ? [[one.data.id, one.data]] : [])),
      );
      return [...states.values()].every((run) => runIsOver(run) || run.state === "waiting_input");
    });
    trouble = false;
    server.cut();

    const client = session;
    await until(
      "the page has caught up",
      () => client.cursor === room.events.length && client.state() === "live",
    );
    expect([...client.store.cards()].map(withoutTail)).toEqual(recorded(room));
    expect(outbox.of(room.thread.id)).toEqual([]);
    const own = room.events.filter((one) => one.type === "message.created" && one.data.role === "user");
    expect(own).toHaveLength(sent);
  });
});
