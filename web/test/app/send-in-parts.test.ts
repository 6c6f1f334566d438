import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { ApiError, Unreachable } from "../../src/api/http.ts";
import * as attachments from "../../src/app/attachments.ts";
import {
  giveUp,
  type PartsHooks,
  type PartsPorts,
  sendInParts,
  Unreadable,
} from "../../src/app/send-in-parts.ts";
import type { UnfinishedUpload, Upload } from "../../src/contracts.ts";

const PART = 4;
const CONTENT = "aaaabbbbcc";

const file = () => new File([CONTENT], "big.bin", { type: "text/csv", lastModified: 7 });
const refused = (status: number, details?: Record<string, unknown>) =>
  new ApiError(status, { code: "invalid_request", message: String(status), details: details ?? null });

/** A server that keeps parts, and fails as it is told before it does what it is asked. */
class Server implements PartsPorts {
  readonly uploads = new Map<string, Map<number, string>>();
  readonly calls: string[] = [];
  readonly pauses: number[] = [];
  readonly troubles: Record<string, unknown[]> = {};
  onPause: () => void = () => {};

  #meet(call: string): void {
    this.calls.push(call);
    const trouble = this.troubles[call]?.shift();
    if (trouble !== undefined) throw trouble;
  }

  #parts(id: string): Map<number, string> {
    const parts = this.uploads.get(id);
    if (parts === undefined) throw refused(404);
    return parts;
  }

  #told(id: string): UnfinishedUpload {
    return {
      id,
      name: "big.bin",
      media_type: "text/csv",
      size: CONTENT.length,
      part_bytes: PART,
      parts: [...this.#parts(id).keys()].sort(),
      until_ms: 0,
    };
  }

  async begin() {
    this.#meet("begin");
    const id = `u${this.uploads.size + 1}`;
    this.uploads.set(id, new Map());
    return this.#told(id);
  }

  async state(id: string) {
    this.#meet("state");
    return this.#told(id);
  }

  async part(
    id: string,
    number: number,
    bytes: Blob,
    _signal: AbortSignal,
    progress: (sent: number) => void,
  ) {
    progress(1);
    this.#meet(`part ${number}`);
    this.#parts(id).set(number, await bytes.text());
    return this.#told(id);
  }

  async finish(id: string) {
    this.#meet("finish");
    const text = [1, 2, 3].map((number) => this.#parts(id).get(number)).join("");
    return { id, name: text } as Upload;
  }

  async giveUp(id: string) {
    this.#meet(`give up ${id}`);
    if (!this.uploads.delete(id)) throw refused(404);
  }

  async pause(ms: number) {
    this.pauses.push(ms);
    this.onPause();
  }

  random = () => 1;
}

let server: Server;
let cancel: AbortController;
let reached: string[];
let moved: number[];
let waits: boolean[];

beforeEach(() => {
  server = new Server();
  cancel = new AbortController();
  [reached, moved, waits] = [[], [], []];
});

function send(known: string | null = null, what = file()): Promise<Upload> {
  const hooks: PartsHooks = {
    reached: (id, bytes) => void reached.push(`${id} ${bytes}`),
    moved: (bytes) => void moved.push(bytes),
    waiting: (is) => void waits.push(is),
  };
  return sendInParts(server, "t", what, known, cancel.signal, hooks);
}

const settled = () => new Promise<void>((resolve) => setTimeout(resolve));

describe("sendInParts", () => {
  it("sends every part once and tells how far it is", async () => {
    expect((await send()).name).toBe(CONTENT);
    expect(server.calls).toEqual(["begin", "part 1", "part 2", "part 3", "finish"]);
    expect(reached).toEqual(["u1 0", "u1 4", "u1 8", "u1 10"]);
    expect(moved).toEqual([1, 5, 9]);
    expect(waits).not.toContain(true);
  });

  it("goes on with what is not there yet", async () => {
    server.uploads.set("u1", new Map([[2, "bbbb"]]));
    expect((await send("u1")).name).toBe(CONTENT);
    expect(server.calls).toEqual(["state", "part 1", "part 3", "finish"]);
    expect(reached[0]).toBe("u1 4");
  });

  it("waits out a dead network, longer each time, and goes on with the part that was reached", async () => {
    server.troubles["part 2"] = Array.from({ length: 20 }, () => new Unreachable("off"));
    expect((await send()).name).toBe(CONTENT);
    expect(server.pauses.slice(0, 6)).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    expect(server.calls.filter((call) => call === "part 1")).toHaveLength(1);
    expect(server.calls.filter((call) => call === "part 2")).toHaveLength(21);
    expect(waits).toContain(true);
    expect(waits.at(-1)).toBe(false);
    expect(moved.slice(0, 5)).toEqual([1, 5, 4, 5, 4]);
  });

  it.each(["begin", "finish"])("tries %s again after trouble of the server", async (call) => {
    server.troubles[call] = [refused(503), refused(500), refused(429)];
    expect((await send()).name).toBe(CONTENT);
    expect(server.pauses).toHaveLength(3);
  });

  it("does not wait for ever for a server that answers with errors", async () => {
    server.troubles["part 1"] = Array.from({ length: 99 }, () => refused(500));
    await expect(send()).rejects.toThrow("500");
    expect(server.pauses).toHaveLength(8);
  });

  it("ends with a refusal", async () => {
    server.troubles["part 2"] = [refused(422)];
    await expect(send()).rejects.toThrow("422");
    expect(server.pauses).toEqual([]);
  });

  it("begins anew what the server has ended", async () => {
    expect((await send("gone")).id).toBe("u1");
    server.troubles["part 2"] = [refused(404)];
    expect((await send()).id).toBe("u3");
  });

  it("does not begin anew for ever", async () => {
    server.troubles["part 1"] = Array.from({ length: 99 }, () => refused(404));
    await expect(send()).rejects.toThrow("404");
    expect(server.uploads.size).toBe(3);
  });

  it("asks once where the thread is gone", async () => {
    server.troubles.begin = [refused(404)];
    await expect(send()).rejects.toThrow("404");
    expect(server.calls).toEqual(["begin"]);
  });

  it("sends again what the server found not to fit", async () => {
    server.troubles.finish = [refused(422, { missing: [1, 2, 3] })];
    expect((await send()).name).toBe(CONTENT);
    expect(server.calls.slice(-3)).toEqual(["finish", "state", "finish"]);
  });

  it("says that a file has changed, and does not take it for the network", async () => {
    const changed = file();
    changed.slice = () => {
      throw new DOMException("changed", "NotReadableError");
    };
    await expect(send(null, changed)).rejects.toBeInstanceOf(Unreadable);
  });

  it("gives up what is cancelled during a pause", async () => {
    server.troubles["part 2"] = [new Unreachable("off")];
    server.onPause = () => cancel.abort();
    await expect(send()).rejects.toThrow();
    await settled();
    expect(server.calls.at(-1)).toBe("give up u1");
    expect(server.uploads.size).toBe(0);
  });

  it("gives up what is cancelled while it begins", async () => {
    const sending = send();
    cancel.abort();
    await expect(sending).rejects.toThrow();
    await settled();
    expect(server.uploads.size).toBe(0);
    expect(server.calls).not.toContain("part 1");
  });
});

it("giving up gets through after the network is back, and takes no for done", async () => {
  server.uploads.set("u1", new Map());
  server.troubles["give up u1"] = [new Unreachable("off")];
  await giveUp(server, "u1");
  await giveUp(server, "u1");
  expect(server.calls).toEqual(["give up u1", "give up u1", "give up u1"]);
});

it("has the numbers that contracts/limits.py has", () => {
  const limits = readFileSync(new URL("../../../contracts/limits.py", import.meta.url), "utf8");
  const [mib, told] = [1024 * 1024, new Map<string, number>()];
  for (const [, name = "", value, unit] of limits.matchAll(/^([A-Z_]+): Final = ([\d_]+)( \* MIB)?$/gm))
    told.set(name, Number(value?.replaceAll("_", "")) * (unit === undefined ? 1 : mib));
  const { UPLOAD_BYTES_MAX, UPLOAD_PART_BYTES, UPLOADS_A_MESSAGE } = attachments;
  for (const [name, value] of Object.entries({ UPLOAD_BYTES_MAX, UPLOAD_PART_BYTES, UPLOADS_A_MESSAGE }))
    expect([name, told.get(name)]).toEqual([name, value]);
});
