/**
 * The output of one command, from its first character on: the log as far as it is written, then what comes live.
 *
 * The log is a file of the computer and can be had while that runs; else there is what the thread has kept of it.
 * Live pieces are addressed by character, so the log and they fit together without a gap; where some were left out on
 * their way, the whole is read again at the end. A piece is asked for when the one before it has been written: the
 * sink sets the pace.
 */
import type { ShownCommand } from "../contracts.ts";
import { characterCount, withoutFirst } from "../stream/characters.ts";
import { JUMP_MARK } from "../stream/tail.ts";

export interface Sink {
  /** Resolves when the text is on the screen. */
  write(text: string): Promise<void>;
  reset(): void;
}

/** What arrives of a command that runs: a piece of its output, or its end. */
export type Heard = { readonly offset: number; readonly text: string } | "ended";

export interface FeedPorts {
  /** The log as it is now; null where it cannot be had. */
  log(command: ShownCommand, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null>;
  /** The command with what is kept of its output. */
  whole(id: string): Promise<ShownCommand>;
  /** Calls back until it is told to stop; begins with the newest output. */
  listen(command: ShownCommand, heard: (what: Heard) => void): () => void;
}

/** `log`: all of it. `kept`: what the thread has, because the log cannot be had. */
export type Source = "coming" | "live" | "log" | "kept" | "failed";

/** A screen works a piece off at once, and holds up the page for as long. */
const PIECE_CHARACTERS = 32 * 1024;
/** More than this is not waited for: the screen is too slow, and jumps. */
const PENDING_CHARACTERS = 4_000_000;

export class CommandFeed {
  readonly #command: ShownCommand;
  readonly #sink: Sink;
  readonly #ports: FeedPorts;
  readonly #told: (source: Source) => void;
  readonly #abort = new AbortController();
  #unlisten: () => void = () => {};
  #pending: { offset: number; text: string }[] = [];
  #waiting = 0;
  /** Characters on the screen; live pieces wait until the log has been read. */
  #position = 0;
  #lineOpen = false;
  #jumped = false;
  #ended = false;
  #ready = false;
  #draining = false;

  constructor(command: ShownCommand, sink: Sink, ports: FeedPorts, told: (source: Source) => void) {
    this.#command = command;
    this.#sink = sink;
    this.#ports = ports;
    this.#told = told;
  }

  async start(): Promise<void> {
    try {
      await this.#run();
    } catch (reason) {
      if (this.#abort.signal.aborted) return;
      this.#told("failed");
      throw reason;
    }
  }

  stop(): void {
    this.#unlisten();
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    const runs = this.#command.finished_ms === null && !this.#command.over;
    if (runs) this.#unlisten = this.#ports.listen(this.#command, (what) => this.#hear(what));
    const found = await this.#writeLog();
    if (!runs) {
      if (!found) await this.#writeKept();
      return this.#tell(found ? "log" : "kept");
    }
    this.#ready = true;
    this.#tell("live");
    await this.#drain();
  }

  #tell(source: Source): void {
    if (!this.#abort.signal.aborted) this.#told(source);
  }

  async #writeLog(): Promise<boolean> {
    const log = await this.#ports.log(this.#command, this.#abort.signal);
    if (log === null) return false;
    const decoder = new TextDecoder();
    const reader = log.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      await this.#write(decoder.decode(part.value, { stream: true }));
    }
    await this.#write(decoder.decode());
    return true;
  }

  async #writeKept(): Promise<void> {
    const { result } = await this.#ports.whole(this.#command.id);
    await this.#write(result?.output ?? "");
  }

  async #write(text: string): Promise<void> {
    if (text === "" || this.#abort.signal.aborted) return;
    this.#position += characterCount(text);
    this.#lineOpen = !text.endsWith("\n");
    for (let at = 0; at < text.length && !this.#abort.signal.aborted; at += PIECE_CHARACTERS) {
      await this.#sink.write(text.slice(at, at + PIECE_CHARACTERS));
    }
  }

  #hear(what: Heard): void {
    if (what === "ended") {
      this.#ended = true;
      this.#unlisten();
    } else {
      this.#pending.push(what);
      this.#waiting += what.text.length;
      while (this.#waiting > PENDING_CHARACTERS) this.#waiting -= this.#pending.shift()?.text.length ?? 0;
    }
    void this.#drain();
  }

  async #drain(): Promise<void> {
    if (this.#draining || !this.#ready) return;
    this.#draining = true;
    while (this.#pending.length > 0) {
      const pieces = this.#pending;
      this.#pending = [];
      this.#waiting = 0;
      for (const { offset, text } of pieces) await this.#place(offset, text);
    }
    this.#draining = false;
    if (this.#ended) await this.#finish();
  }

  async #place(offset: number, text: string): Promise<void> {
    if (offset + characterCount(text) <= this.#position) return;
    if (offset < this.#position) return this.#write(withoutFirst(text, this.#position - offset));
    if (offset > this.#position) {
      this.#jumped = true;
      await this.#sink.write(`${this.#lineOpen ? "\n" : ""}${JUMP_MARK}\n`);
      this.#position = offset;
    }
    await this.#write(text);
  }

  async #finish(): Promise<void> {
    this.#ready = false;
    if (!this.#jumped) return this.#tell("log");
    this.#sink.reset();
    this.#position = 0;
    const found = await this.#writeLog();
    if (!found) await this.#writeKept();
    this.#tell(found ? "log" : "kept");
  }
}
