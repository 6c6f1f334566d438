/**
 * One socket that is always being kept: dialled again whatever the reason it closed for.
 *
 * It knows nothing of threads. `wake` is for the moments at which a page learns that time has passed
 * (foreground, network back); late frames of a socket that was given up are ignored by identity.
 */
export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: string }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
}

/** Everything outside that a client needs, so that tests can own time and chance. */
export interface Ports {
  open(url: string): Socket;
  later(run: () => void, ms: number): () => void;
  frame(run: () => void): void;
  now(): number;
  random(): number;
}

export type ConnectionState = "connecting" | "replaying" | "live" | "offline";

export interface ConnectionHooks {
  /** Where to dial, asked each time, since the cursor moves. */
  url(): string;
  received(text: string): void;
  changed(state: ConnectionState): void;
  /** The n-th dial in a row that did not get as far as a live stream, with the code it was closed with. */
  failed(times: number, code: number): void;
}

const BACKOFF_FIRST_MS = 400;
const BACKOFF_MOST_MS = 15_000;
const ACK_EVERY = 256 * 1024;
const PING_EVERY_MS = 25_000;
const PONG_WITHIN_MS = 10_000;
const LONG_HIDDEN_MS = 20_000;
/** What a browser reports when a connection ended without a word. */
export const NO_ANSWER = 1006;
const OPEN_WITHIN_MS = 15_000;

/** What the server closes with where there is nothing to dial for until somebody looks again. */
export const THREAD_GONE = 4404;
export const NO_MEMBER = 4403;
/** What this was opened with has ended: the page asks who is there, and nothing is gained by dialling soon. */
export const SIGNED_OUT = 4401;
const FINAL: ReadonlySet<number> = new Set([THREAD_GONE, NO_MEMBER]);

export class Connection {
  readonly #ports: Ports;
  readonly #hooks: ConnectionHooks;
  #socket: Socket | null = null;
  #state: ConnectionState = "offline";
  #tries = 0;
  #received = 0;
  #acked = 0;
  #lastHeard = 0;
  #cancelDial: () => void = () => {};
  #cancelPing: () => void = () => {};

  constructor(ports: Ports, hooks: ConnectionHooks) {
    this.#ports = ports;
    this.#hooks = hooks;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  start(): void {
    if (this.#socket === null) this.#dial();
  }

  stop(): void {
    this.#letGo();
    this.#enter("offline");
  }

  /** Dials at once, without waiting for the backoff. */
  redial(): void {
    this.#letGo();
    this.#dial();
  }

  /** A long time in the background may have killed the socket without a word. */
  wake(hiddenMs: number): void {
    if (this.#socket === null || hiddenMs > LONG_HIDDEN_MS) this.redial();
    else this.#ping();
  }

  /** The replay is over: the stream is as good as it gets. */
  live(): void {
    this.#tries = 0;
    this.#enter("live");
  }

  #dial(): void {
    this.#enter("connecting");
    const socket = this.#ports.open(this.#hooks.url());
    this.#socket = socket;
    this.#received = this.#acked = 0;
    this.#lastHeard = this.#ports.now();
    this.#cancelPing = this.#ports.later(() => this.#lost(NO_ANSWER), OPEN_WITHIN_MS);
    socket.onopen = () => {
      if (socket !== this.#socket) return;
      this.#enter("replaying");
      this.#pingLater();
    };
    socket.onmessage = (event) => {
      if (socket === this.#socket) this.#take(event.data);
    };
    socket.onclose = ({ code }) => {
      if (socket === this.#socket) this.#lost(code);
    };
  }

  #take(text: string): void {
    this.#lastHeard = this.#ports.now();
    this.#received += text.length;
    if (this.#received - this.#acked >= ACK_EVERY) {
      this.#acked = this.#received;
      this.#socket?.send(JSON.stringify({ type: "ack", bytes: this.#received }));
    }
    this.#hooks.received(text);
  }

  #lost(code: number): void {
    this.#letGo();
    this.#enter("offline");
    const most =
      code === SIGNED_OUT ? BACKOFF_MOST_MS : Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** this.#tries);
    this.#tries++;
    const wait = most / 2 + (this.#ports.random() * most) / 2;
    if (!FINAL.has(code)) this.#cancelDial = this.#ports.later(() => this.#dial(), wait);
    this.#hooks.failed(this.#tries, code);
  }

  #letGo(): void {
    this.#cancelDial();
    this.#cancelPing();
    const socket = this.#socket;
    this.#socket = null;
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #pingLater(): void {
    this.#cancelPing();
    this.#cancelPing = this.#ports.later(() => this.#ping(), PING_EVERY_MS);
  }

  #ping(): void {
    const socket = this.#socket;
    if (socket === null || this.#state === "connecting") return;
    const asked = this.#ports.now();
    socket.send('{"type":"ping"}');
    this.#cancelPing();
    this.#cancelPing = this.#ports.later(() => {
      if (this.#lastHeard < asked) this.redial();
      else this.#pingLater();
    }, PONG_WITHIN_MS);
  }

  #enter(state: ConnectionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#hooks.changed(state);
  }
}
