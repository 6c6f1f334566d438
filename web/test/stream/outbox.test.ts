import { beforeEach, describe, expect, it } from "vitest";
import type { MessageAccepted } from "../../src/contracts.ts";
import { Outbox, type OutEntry, type OutMessage, Refused } from "../../src/stream/outbox.ts";
import { Rig } from "./rig.ts";

interface Delivery {
  id: string;
  accept: (seq?: number) => Promise<void>;
  fail: (reason: Error) => Promise<void>;
}

let ports: Rig;
let stored: Map<string, OutMessage>;
let deliveries: Delivery[];
let states: string[];

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function make(): Outbox {
  const storage = {
    load: () => [...stored.values()],
    save: (message: OutMessage) => void stored.set(message.clientId, message),
    remove: (id: string) => void stored.delete(id),
  };
  const outbox = new Outbox(ports, storage, ({ clientId }) => {
    return new Promise((resolve, reject) => {
      deliveries.push({
        id: clientId,
        accept: (seq = 1) => {
          resolve({ seq } as MessageAccepted);
          return settled();
        },
        fail: (reason) => {
          reject(reason);
          return settled();
        },
      });
    });
  });
  outbox.listen((entry: OutEntry) => states.push(`${entry.clientId} ${entry.state}`));
  return outbox;
}

const message = (clientId: string, threadId = "t"): OutMessage => ({
  clientId,
  threadId,
  text: clientId,
  uploads: [],
  createdMs: 0,
  during: "steer" as const,
});

const delivery = (index: number): Delivery => {
  const found = deliveries[index];
  if (found === undefined) throw new Error(`only ${deliveries.length} deliveries`);
  return found;
};

beforeEach(() => {
  ports = new Rig();
  stored = new Map();
  [deliveries, states] = [[], []];
});

describe("Outbox", () => {
  it("writes a message down before it is sent, and strikes it out when it is accepted", async () => {
    make().send(message("a"));
    expect([...stored.keys()]).toEqual(["a"]);
    await delivery(0).accept();
    expect(stored.size).toBe(0);
    expect(states).toEqual(["a queued", "a sending", "a accepted"]);
  });

  it("sends the messages of a thread one after the other, and threads side by side", async () => {
    const outbox = make();
    for (const id of ["a", "b"]) outbox.send(message(id));
    outbox.send(message("c", "other"));
    expect(deliveries.map(({ id }) => id)).toEqual(["a", "c"]);
    await delivery(0).accept();
    expect(deliveries.map(({ id }) => id)).toEqual(["a", "c", "b"]);
  });

  it("sends the same message again after trouble on the way, later each time", async () => {
    make().send(message("a"));
    await delivery(0).fail(new TypeError("network"));
    expect(states.at(-1)).toBe("a queued");
    ports.pass(999);
    expect(deliveries).toHaveLength(1);
    ports.pass(1);
    await delivery(1).fail(new TypeError("network"));
    ports.pass(1_999);
    expect(deliveries).toHaveLength(2);
    ports.pass(1);
    expect(deliveries.map(({ id }) => id)).toEqual(["a", "a", "a"]);
  });

  it("sends at once when the network is back", async () => {
    const outbox = make();
    outbox.send(message("a"));
    await delivery(0).fail(new TypeError("network"));
    outbox.resume();
    expect(deliveries).toHaveLength(2);
    ports.pass(60_000);
    expect(deliveries).toHaveLength(2);
  });

  it("sends what an earlier page left behind", () => {
    stored.set("old", message("old"));
    make().resume();
    expect(deliveries.map(({ id }) => id)).toEqual(["old"]);
  });

  it("fails on a refusal, keeps the message for a retry and goes on with the next", async () => {
    const outbox = make();
    outbox.send(message("a"));
    outbox.send(message("b"));
    await delivery(0).fail(new Refused({ code: "invalid_request", message: "No." }));
    expect(outbox.of("t")[0]).toMatchObject({ state: "failed", problem: { message: "No." } });
    expect([...stored.keys()]).toEqual(["a", "b"]);
    await delivery(1).accept();
    outbox.retry("a");
    expect(deliveries.map(({ id }) => id)).toEqual(["a", "b", "a"]);
  });

  it("never sends a message again that failed, unless it is told to", async () => {
    const outbox = make();
    outbox.send(message("a"));
    await delivery(0).fail(new Refused({ code: "invalid_request", message: "No." }));
    outbox.resume();
    expect(deliveries).toHaveLength(1);
  });

  it("forgets a message that was settled while it was under way", async () => {
    const outbox = make();
    outbox.send(message("a"));
    outbox.settle("a");
    await delivery(0).fail(new TypeError("network"));
    ports.pass(60_000);
    expect(deliveries).toHaveLength(1);
    expect(outbox.of("t")).toEqual([]);
  });
});
