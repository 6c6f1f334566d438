import { beforeEach, describe, expect, it } from "vitest";
import { Connection, type ConnectionState } from "../../src/stream/connection.ts";
import { Rig } from "./rig.ts";

let ports: Rig;
let states: ConnectionState[];
let received: string[];
let failures: number[];
let connection: Connection;

beforeEach(() => {
  ports = new Rig();
  [states, received, failures] = [[], [], []];
  connection = new Connection(ports, {
    url: () => `/stream?after=${received.length}`,
    received: (text) => received.push(text),
    changed: (state) => states.push(state),
    failed: (times) => failures.push(times),
  });
  connection.start();
});

describe("Connection", () => {
  it("goes from connecting over replaying to live", () => {
    ports.socket.open();
    connection.live();
    expect(states).toEqual(["connecting", "replaying", "live"]);
  });

  it.each([1000, 1001, 1006, 4008])("dials again after close code %i", (code) => {
    ports.socket.open();
    ports.socket.die(code);
    expect(connection.state).toBe("offline");
    ports.pass(400);
    expect(ports.sockets).toHaveLength(2);
  });

  it("waits longer after each failure, up to fifteen seconds", () => {
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      const before = ports.now();
      ports.socket.die();
      while (ports.sockets.length === i + 1) ports.pass(50);
      waits.push(ports.now() - before);
    }
    expect(waits).toEqual([400, 800, 1_600, 3_200, 6_400, 12_800, 15_000, 15_000]);
    expect(failures).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("starts with short waits again after it was live", () => {
    for (let i = 0; i < 4; i++) {
      ports.socket.die();
      ports.pass(15_000);
    }
    ports.socket.open();
    connection.live();
    ports.socket.die();
    const dialled = ports.sockets.length;
    ports.pass(400);
    expect(ports.sockets).toHaveLength(dialled + 1);
  });

  it("asks for what follows the newest thing received, at each dial", () => {
    ports.socket.open();
    ports.socket.receive({});
    ports.socket.receive({});
    ports.socket.die();
    ports.pass(400);
    expect(ports.socket.url).toBe("/stream?after=2");
  });

  it("ignores what an abandoned socket still brings", () => {
    const old = ports.socket;
    old.open();
    const late = old.onmessage;
    connection.redial();
    late?.({ data: "{}" });
    expect(received).toEqual([]);
    expect(old.state).toBe("closed");
  });

  it("acknowledges each 256 KiB with the total of this socket", () => {
    ports.socket.open();
    const text = "x".repeat(100 * 1024 - 2);
    for (let i = 0; i < 6; i++) ports.socket.receive(text);
    expect(ports.socket.sent).toEqual([
      { type: "ack", bytes: 300 * 1024 },
      { type: "ack", bytes: 600 * 1024 },
    ]);
    connection.redial();
    ports.socket.open();
    for (let i = 0; i < 3; i++) ports.socket.receive(text);
    expect(ports.socket.sent).toEqual([{ type: "ack", bytes: 300 * 1024 }]);
  });

  it("redials when a ping stays without an answer", () => {
    ports.socket.open();
    connection.live();
    ports.pass(25_000);
    expect(ports.socket.sent).toEqual([{ type: "ping" }]);
    ports.pass(10_000);
    expect(ports.sockets).toHaveLength(2);
  });

  it("stays with a socket that answers", () => {
    ports.socket.open();
    connection.live();
    for (let i = 0; i < 5; i++) {
      ports.pass(25_000);
      ports.socket.receive({ type: "pong" });
      ports.pass(10_000);
    }
    expect(ports.sockets).toHaveLength(1);
  });

  it("gives up a dial that never opens", () => {
    ports.pass(15_000);
    expect(connection.state).toBe("offline");
    ports.pass(400);
    expect(ports.sockets).toHaveLength(2);
  });

  it("redials at once after a long time in the background, and asks after a short one", () => {
    ports.socket.open();
    connection.live();
    connection.wake(5_000);
    expect(ports.socket.sent).toEqual([{ type: "ping" }]);
    connection.wake(30_000);
    expect(ports.sockets).toHaveLength(2);
  });

  it("does not wait for the backoff when the network is back", () => {
    ports.socket.die();
    connection.wake(Number.POSITIVE_INFINITY);
    expect(ports.sockets).toHaveLength(2);
    // Nor does the wait that was given up dial once more.
    ports.pass(400);
    expect(ports.sockets).toHaveLength(2);
  });

  it("dials no more once it is stopped", () => {
    ports.socket.open();
    connection.stop();
    ports.pass(60_000);
    expect(ports.sockets).toHaveLength(1);
    expect(connection.state).toBe("offline");
  });
});
