/**
 * One open thread: its connection, its place in the record, its store, and its share of the outbox.
 *
 * The cursor moves in the same tick as the cards, so whatever happens to the socket, asking for everything
 * after the cursor is always right. That is the one way to recover, for gaps, losses and restarts alike.
 */
import type { Computer, Run } from "../contracts.ts";
import type { Card } from "./cards.ts";
import { OutputCoalescer } from "./coalesce.ts";
import {
  Connection,
  type ConnectionState,
  NO_MEMBER,
  type Ports,
  SIGNED_OUT,
  THREAD_GONE,
} from "./connection.ts";
import { type Frame, type LiveFrame, type OpaqueEvent, readFrame, type ThreadEvent } from "./frames.ts";
import type { Outbox, OutEntry } from "./outbox.ts";
import { applyDelta, applyEvent, applyOpaque, applyTail } from "./record.ts";
import { Sequence } from "./sequence.ts";
import { ThreadStore, UNSENT } from "./thread-store.ts";

export const PROTOCOL = 1;
const GAP_PATIENCE_MS = 250;
const ECHO_PATIENCE_MS = 3_000;

/** `outdated`: the server speaks a newer protocol, and only a reload helps. */
export type SessionState = ConnectionState | "outdated";

export interface SessionOptions {
  threadId: string;
  ports: Ports;
  outbox: Outbox;
  /** Called for each event as it is applied, whether replayed or new. */
  onEvent?: (event: ThreadEvent, replayed: boolean) => void;
  /** What the stream was opened with has ended. */
  onSignedOut?: () => void;
  /** The stream could not be had several times in a row. */
  onTrouble?: (times: number) => void;
  /** The server says that the thread was deleted. */
  onGone?: () => void;
  /** The server says that the person does not belong to the owner any more. */
  onLeftOut?: () => void;
  onTitle?: (title: string) => void;
}

type Numbered = Extract<Frame, { seq: number }>;

export class ThreadSession {
  readonly threadId: string;
  readonly store: ThreadStore;
  readonly #options: SessionOptions;
  /** Takes the replay while cards of an earlier visit are shown, so that they stand until all of it is there. */
  #replay: ThreadStore | null = null;
  readonly #sequence = new Sequence<Numbered>();
  readonly #connection: Connection;
  readonly #output: OutputCoalescer;
  readonly #stateListeners = new Set<() => void>();
  #outdated = false;
  /** What the server said when it was last asked how far the thread has got, and how the computer is. */
  #promised = 0;
  #computer: Computer | null = null;
  #cancelGap: (() => void) | null = null;
  #unlisten: (() => void) | null = null;

  constructor(options: SessionOptions) {
    const { ports, threadId } = options;
    this.#options = options;
    this.threadId = threadId;
    this.store = new ThreadStore(ports.frame);
    this.#output = new OutputCoalescer(ports.frame, (id, tail) => applyTail(this.#applied, id, tail));
    this.#connection = new Connection(ports, {
      url: () => `/api/threads/${encodeURIComponent(threadId)}/stream?after=${this.#sequence.cursor}`,
      received: (text) => this.#take(readFrame(text)),
      changed: () => this.#announce(),
      failed: (times, code) => {
        if (code === THREAD_GONE) options.onGone?.();
        else if (code === NO_MEMBER) options.onLeftOut?.();
        else if (code === SIGNED_OUT) options.onSignedOut?.();
        else options.onTrouble?.(times);
      },
    });
  }

  /** The store that the record is applied to. */
  get #applied(): ThreadStore {
    return this.#replay ?? this.store;
  }

  get cursor(): number {
    return this.#sequence.cursor;
  }

  readonly state = (): SessionState => (this.#outdated ? "outdated" : this.#connection.state);

  readonly onState = (listener: () => void): (() => void) => {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  };

  open(): void {
    const { outbox } = this.#options;
    this.#unlisten ??= outbox.listen((entry) => this.#showUnsent(entry));
    for (const entry of outbox.of(this.threadId)) this.#showUnsent(entry);
    if (!this.#outdated) this.#connection.start();
  }

  /** Shows what was known at an earlier visit until the whole record has come. Before it is opened. */
  recall(known: { cards: readonly Card[]; run: Run | null; computer: Computer | null; ms: number }): void {
    for (const card of known.cards) this.store.put(card);
    this.store.know({ run: known.run, computer: known.computer, keptMs: known.ms });
    this.store.flush();
    this.#replay = new ThreadStore(() => {});
  }

  /** What is known stays, so that opening again only asks for what is new. */
  close(): void {
    this.#unlisten?.();
    this.#unlisten = null;
    this.#cancelGap?.();
    this.#cancelGap = null;
    this.#connection.stop();
  }

  wake(hiddenMs: number): void {
    if (!this.#outdated) this.#connection.wake(hiddenMs);
  }

  /** Somebody else learnt how far the thread has got; a stream that stays behind has lost something. */
  expect(seq: number): void {
    if (seq <= this.cursor) return;
    this.#options.ports.later(() => {
      if (seq > this.cursor && this.#connection.state === "live") this.#connection.redial();
    }, ECHO_PATIENCE_MS);
  }

  discard(clientId: string): void {
    this.#options.outbox.settle(clientId);
    this.store.remove(clientId);
    this.store.flush();
  }

  #take(frame: Frame): void {
    if (frame.kind === "live") return this.#takeLive(frame.frame);
    if (frame.kind === "other") return;
    for (const ready of this.#sequence.offer(frame.seq, frame)) this.#apply(ready);
    this.#watchGap();
  }

  get #isBehind(): boolean {
    return this.#sequence.hasGap || this.cursor < this.#promised;
  }

  #watchGap(): void {
    if (this.#isBehind) {
      this.#cancelGap ??= this.#options.ports.later(() => this.#fillGap(), GAP_PATIENCE_MS);
    } else {
      this.#cancelGap?.();
      this.#cancelGap = null;
    }
  }

  #fillGap(): void {
    this.#cancelGap = null;
    if (!this.#isBehind) return;
    this.#sequence.release();
    this.#promised = 0;
    this.#connection.redial();
  }

  #apply(frame: Numbered): void {
    if (frame.kind === "opaque") return applyOpaque(this.#applied, frame.event as OpaqueEvent);
    const event = frame.event as ThreadEvent;
    applyEvent(this.#applied, event);
    if (event.type === "tool.finished") this.#output.drop(event.data.tool_call_id);
    if (event.type === "message.created" && event.data.client_id) {
      this.#options.outbox.settle(event.data.client_id);
    }
    this.#options.onEvent?.(event, !this.store.facts().caughtUp);
  }

  #takeLive(frame: LiveFrame): void {
    switch (frame.type) {
      case "hello":
        return this.#greet(frame.data);
      case "caught_up":
        return this.#arrive(frame.data.seq);
      case "part.delta":
        return applyDelta(this.#applied, "assistant", frame.data);
      case "reasoning.delta":
        return applyDelta(this.#applied, "reasoning", frame.data);
      case "tool.output":
        return this.#output.push(frame.data.tool_call_id, frame.data.offset, frame.data.text);
      case "thread.titled":
        return this.#options.onTitle?.(frame.data.title);
    }
  }

  #arrive(seq: number): void {
    if (seq > this.cursor) {
      this.#promised = seq;
      return this.#watchGap();
    }
    if (this.#replay !== null) {
      this.store.adopt(this.#replay);
      this.#replay = null;
    }
    const shown = this.store.facts().computer;
    const greeted = this.#computer;
    // The thread's own record may end before the computer's newest change, which `hello` knew.
    if (greeted !== null && greeted.since_ms >= (shown?.since_ms ?? 0))
      this.store.know({ computer: greeted });
    this.store.know({ caughtUp: true });
    this.store.flush();
    this.#connection.live();
  }

  #greet(hello: Extract<LiveFrame, { type: "hello" }>["data"]): void {
    if (hello.protocol !== PROTOCOL) {
      this.#outdated = true;
      this.#connection.stop();
      return this.#announce();
    }
    this.#computer = hello.computer;
    if (hello.head_seq >= this.cursor) return;
    // The record is shorter than what is shown here: it is another one, begun after a loss.
    this.#sequence.cursor = 0;
    this.#sequence.release();
    this.#output.clear();
    this.#applied.reset();
    this.#connection.redial();
  }

  #showUnsent(entry: OutEntry): void {
    if (entry.threadId !== this.threadId) return;
    const known = this.store.card(entry.clientId);
    if (known?.kind === "user" && known.send === null) return;
    this.store.put(
      {
        kind: "user",
        key: entry.clientId,
        at: entry.createdMs,
        text: entry.text,
        uploads: entry.uploads,
        send: entry.state,
        problem: entry.problem,
        runId: null,
        seq: null,
        queued: entry.during === "queue",
        routine: null,
        model: entry.model ?? null,
        effort: entry.effort ?? null,
      },
      UNSENT,
    );
    this.store.flush();
    if (entry.seq !== null) this.expect(entry.seq);
  }

  #announce(): void {
    for (const listener of this.#stateListeners) listener();
  }
}
