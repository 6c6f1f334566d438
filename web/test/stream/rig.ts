/** Time, chance and sockets in the hands of a test. Refuses what the real things refuse. */
import type { Ports, Socket } from "../../src/stream/connection.ts";

export class FakeSocket implements Socket {
  onopen: Socket["onopen"] = null;
  onmessage: Socket["onmessage"] = null;
  onclose: Socket["onclose"] = null;
  readonly url: string;
  readonly sent: unknown[] = [];
  state: "connecting" | "open" | "closed" = "connecting";

  constructor(url: string) {
    this.url = url;
  }

  send(text: string): void {
    if (this.state === "connecting") throw new Error("still connecting");
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.state = "closed";
  }

  open(): void {
    this.state = "open";
    this.onopen?.();
  }

  receive(frame: unknown): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }

  die(code = 1006): void {
    this.state = "closed";
    this.onclose?.({ code });
  }
}

interface Timer {
  at: number;
  run: () => void;
}

export class Rig implements Ports {
  readonly sockets: FakeSocket[] = [];
  readonly frames: (() => void)[] = [];
  #timers: Timer[] = [];
  #now = 0;

  open = (url: string): FakeSocket => {
    const socket = new FakeSocket(url);
    this.sockets.push(socket);
    return socket;
  };

  later = (run: () => void, ms: number): (() => void) => {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  };

  frame = (run: () => void): void => void this.frames.push(run);
  now = (): number => this.#now;
  random = (): number => 1;

  get socket(): FakeSocket {
    const last = this.sockets.at(-1);
    if (last === undefined) throw new Error("nothing was dialled");
    return last;
  }

  /** Lets time pass; what is due runs in order. */
  pass(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#now = due.at;
      due.run();
    }
    this.#now = until;
  }

  paint(): void {
    for (const run of this.frames.splice(0)) run();
  }
}
