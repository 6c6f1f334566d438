import { describe, expect, it } from "vitest";
import { CommandFeed, type FeedPorts, type Heard, type Source } from "../../src/computer/command-feed.ts";
import type { ShownCommand } from "../../src/contracts.ts";

const RUNNING: ShownCommand = {
  ...{ id: "c", thread_id: "t", title: "T", command: "make", started_ms: 1 },
  ...{ finished_ms: null, over: false, result: null, error: null },
};
const ENDED: ShownCommand = { ...RUNNING, finished_ms: 2, over: true };
const KEPT = { id: "c", state: "exited", exit_code: 0, duration_ms: 1, output: "kept\n" } as const;

const settled = () => new Promise((resolve) => setTimeout(resolve));

function streamOf(...parts: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) {
        controller.enqueue(typeof part === "string" ? new TextEncoder().encode(part) : part);
      }
      controller.close();
    },
  });
}

function rig(command: ShownCommand, logs: (ReadableStream<Uint8Array> | null)[]) {
  const screen = { text: "", resets: 0, hold: null as Promise<void> | null, wrote: (_: string) => {} };
  const sources: Source[] = [];
  let heard: (what: Heard) => void = () => {};
  let listening = false;
  const ports: FeedPorts = {
    log: async () => logs.shift() ?? null,
    whole: async () => ({ ...command, result: KEPT }),
    listen(_command, hear) {
      heard = hear;
      listening = true;
      return () => {
        listening = false;
      };
    },
  };
  const sink = {
    async write(text: string) {
      await screen.hold;
      screen.text += text;
      screen.wrote(text);
    },
    reset() {
      screen.text = "";
      screen.resets++;
    },
  };
  const feed = new CommandFeed(command, sink, ports, (source) => sources.push(source));
  return { feed, screen, sources, hear: (what: Heard) => heard(what), listens: () => listening };
}

describe("a command that has ended", () => {
  it("is shown from its log, also where a character is cut in two", async () => {
    const bytes = new TextEncoder().encode("a泊b\n");
    const { feed, screen, sources } = rig(ENDED, [streamOf(bytes.slice(0, 2), bytes.slice(2))]);
    await feed.start();
    expect(screen.text).toBe("a泊b\n");
    expect(sources).toEqual(["log"]);
  });

  it("is shown as the thread kept it where there is no log", async () => {
    const { feed, screen, sources, listens } = rig(ENDED, [null]);
    await feed.start();
    expect(screen.text).toBe("kept\n");
    expect(sources).toEqual(["kept"]);
    expect(listens()).toBe(false);
  });

  it("comes in pieces that hold nobody up, however it arrives", async () => {
    const long = "泊".repeat(100_000);
    const { feed, screen } = rig(ENDED, [streamOf(long)]);
    const pieces: number[] = [];
    screen.wrote = (text) => pieces.push(text.length);
    await feed.start();
    expect(screen.text).toBe(long);
    expect(Math.max(...pieces)).toBeLessThanOrEqual(32 * 1024);
  });

  it("says that its log broke off", async () => {
    const broken = new ReadableStream<Uint8Array>({ start: (c) => c.error(new TypeError("lost")) });
    const { feed, sources } = rig(ENDED, [broken]);
    await expect(feed.start()).rejects.toThrow("lost");
    expect(sources).toEqual(["failed"]);
  });
});

describe("a command that runs", () => {
  it("goes on live where its log ends, whatever overlaps and in characters of any kind", async () => {
    const { feed, screen, hear, sources } = rig(RUNNING, [streamOf("🚢1\n🚢2\n")]);
    const started = feed.start();
    hear({ offset: 3, text: "🚢2\n🚢3\n" });
    await started;
    hear({ offset: 6, text: "🚢3\n" });
    hear({ offset: 9, text: "🚢4\n" });
    await settled();
    expect(screen.text).toBe("🚢1\n🚢2\n🚢3\n🚢4\n");
    expect(sources).toEqual(["live"]);
    hear("ended");
    await settled();
    expect(sources).toEqual(["live", "log"]);
    expect(screen.resets).toBe(0);
  });

  it("marks a jump, and reads the whole again at its end", async () => {
    const { feed, screen, hear, listens } = rig(RUNNING, [streamOf("ab"), streamOf("ab\ncd\nef\n")]);
    await feed.start();
    hear({ offset: 6, text: "ef\n" });
    await settled();
    expect(screen.text).toBe("ab\n⋯\nef\n");
    hear("ended");
    await settled();
    expect(screen.text).toBe("ab\ncd\nef\n");
    expect(screen.resets).toBe(1);
    expect(listens()).toBe(false);
  });

  it("is written no faster than the screen takes it", async () => {
    const { feed, screen, hear } = rig(RUNNING, [null]);
    await feed.start();
    let go = () => {};
    screen.hold = new Promise((resolve) => {
      go = resolve;
    });
    for (let n = 0; n < 100; n++) hear({ offset: n, text: "x" });
    await settled();
    expect(screen.text).toBe("");
    go();
    await settled();
    expect(screen.text).toBe("x".repeat(100));
  });

  it("is left alone once nobody looks", async () => {
    const { feed, screen, hear, listens, sources } = rig(RUNNING, [streamOf("a")]);
    await feed.start();
    feed.stop();
    hear({ offset: 1, text: "b" });
    hear("ended");
    await settled();
    expect(screen.text).toBe("a");
    expect(sources).toEqual(["live"]);
    expect(listens()).toBe(false);
  });
});
