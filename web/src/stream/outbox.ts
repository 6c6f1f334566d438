/**
 * Messages on their way to the server. Each is written down before it is sent and has an id of its own, so
 * it can be sent again after anything (a lost answer, a reload) and still becomes one message.
 *
 * Messages of a thread go one after the other. A refusal ends in `failed`, which a person can retry or
 * discard; trouble on the way is retried with growing pauses, and at once when the network comes back.
 */
import type { Effort, MessageAccepted, MessageCreate, Problem, Upload } from "../contracts.ts";
import type { SendState } from "./cards.ts";
import type { Ports } from "./connection.ts";

/** What the message is to a run under way: `steer` reaches it at its next step, `queue` waits for its end. */
export type During = NonNullable<MessageCreate["during"]>;

export interface OutMessage {
  readonly clientId: string;
  readonly threadId: string;
  readonly text: string;
  readonly uploads: readonly Upload[];
  readonly createdMs: number;
  readonly during: During;
  /** Of this message, where they are not the bot's. What an older page had written down has neither. */
  readonly model?: string | null;
  readonly effort?: Effort | null;
}

export interface OutEntry extends OutMessage {
  readonly state: Exclude<SendState, null>;
  readonly problem: Problem | null;
  /** Of the accepted message: the thread's stream must get this far. */
  readonly seq: number | null;
}

export interface OutboxStorage {
  load(): OutMessage[];
  save(message: OutMessage): void;
  remove(clientId: string): void;
}

/** A refusal is an answer about this message and final; anything else thrown is trouble on the way. */
export class Refused extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

export type Deliver = (message: OutMessage) => Promise<MessageAccepted>;
type Listener = (entry: OutEntry) => void;

const RETRY_FIRST_MS = 1_000;
const RETRY_MOST_MS = 15_000;

export class Outbox {
  readonly #ports: Pick<Ports, "later" | "now" | "random">;
  readonly #storage: OutboxStorage;
  readonly #deliver: Deliver;
  readonly #entries = new Map<string, OutEntry>();
  readonly #listeners = new Set<Listener>();
  readonly #busy = new Set<string>();
  #tries = 0;
  #cancelRetry: () => void = () => {};

  constructor(ports: Pick<Ports, "later" | "now" | "random">, storage: OutboxStorage, deliver: Deliver) {
    this.#ports = ports;
    this.#storage = storage;
    this.#deliver = deliver;
    for (const message of storage.load())
      this.#set({ ...message, state: "queued", problem: null, seq: null });
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  of(threadId: string): OutEntry[] {
    return [...this.#entries.values()].filter((entry) => entry.threadId === threadId);
  }

  send(message: OutMessage): void {
    this.#storage.save(message);
    this.#set({ ...message, state: "queued", problem: null, seq: null });
    this.#work(message.threadId);
  }

  retry(clientId: string): void {
    const entry = this.#entries.get(clientId);
    if (entry?.state !== "failed") return;
    this.#set({ ...entry, state: "queued", problem: null });
    this.#work(entry.threadId);
  }

  /** Takes the message away: it is in the thread now, or the person gave it up. */
  settle(clientId: string): void {
    this.#storage.remove(clientId);
    this.#entries.delete(clientId);
  }

  /** The network may be back. */
  resume(): void {
    this.#cancelRetry();
    for (const threadId of new Set([...this.#entries.values()].map((entry) => entry.threadId))) {
      this.#work(threadId);
    }
  }

  #work(threadId: string): void {
    if (this.#busy.has(threadId)) return;
    const next = this.of(threadId).find((entry) => entry.state === "queued");
    if (next === undefined) return;
    this.#busy.add(threadId);
    this.#set({ ...next, state: "sending" });
    this.#deliver(next).then(
      (accepted) => this.#accepted(next, accepted),
      (reason: unknown) => this.#refused(next, reason),
    );
  }

  #accepted(message: OutMessage, accepted: MessageAccepted): void {
    this.#busy.delete(message.threadId);
    this.#tries = 0;
    this.#storage.remove(message.clientId);
    const entry = this.#entries.get(message.clientId);
    if (entry !== undefined) this.#set({ ...entry, state: "accepted", seq: accepted.seq });
    this.#work(message.threadId);
  }

  #refused(message: OutMessage, reason: unknown): void {
    this.#busy.delete(message.threadId);
    const entry = this.#entries.get(message.clientId);
    if (entry === undefined) return this.#work(message.threadId);
    if (reason instanceof Refused) {
      this.#set({ ...entry, state: "failed", problem: reason.problem });
      return this.#work(message.threadId);
    }
    this.#set({ ...entry, state: "queued" });
    const most = Math.min(RETRY_MOST_MS, RETRY_FIRST_MS * 2 ** this.#tries++);
    this.#cancelRetry();
    this.#cancelRetry = this.#ports.later(() => this.resume(), most / 2 + (this.#ports.random() * most) / 2);
  }

  #set(entry: OutEntry): void {
    this.#entries.set(entry.clientId, entry);
    for (const listener of this.#listeners) listener(entry);
  }
}
