/**
 * Joins the many small pieces of running commands into at most one write per card and frame.
 *
 * A command may print thousands of times a second; what a person can see is one picture a frame.
 */
import { characterCount } from "./characters.ts";
import { EMPTY_TAIL, extend, type Tail } from "./tail.ts";

interface Piece {
  offset: number;
  parts: string[];
  end: number;
}

export class OutputCoalescer {
  readonly #waiting = new Map<string, Piece[]>();
  readonly #tails = new Map<string, Tail>();
  readonly #frame: (run: () => void) => void;
  readonly #write: (id: string, tail: Tail) => void;
  #armed = false;

  constructor(frame: (run: () => void) => void, write: (id: string, tail: Tail) => void) {
    this.#frame = frame;
    this.#write = write;
  }

  push(id: string, offset: number, text: string): void {
    const length = characterCount(text);
    let pieces = this.#waiting.get(id);
    if (pieces === undefined) {
      pieces = [];
      this.#waiting.set(id, pieces);
    }
    const last = pieces.at(-1);
    if (last !== undefined && last.end === offset) {
      last.parts.push(text);
      last.end += length;
    } else {
      pieces.push({ offset, parts: [text], end: offset + length });
    }
    if (!this.#armed) {
      this.#armed = true;
      this.#frame(() => this.flush());
    }
  }

  flush(): void {
    this.#armed = false;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const [id, pieces] of waiting) {
      const before = this.#tails.get(id) ?? EMPTY_TAIL;
      const after = pieces.reduce((tail, piece) => extend(tail, piece.offset, piece.parts.join("")), before);
      if (after === before) continue;
      this.#tails.set(id, after);
      this.#write(id, after);
    }
  }

  /** The command is over; the persisted event holds its output. */
  drop(id: string): void {
    this.#waiting.delete(id);
    this.#tails.delete(id);
  }

  clear(): void {
    this.#waiting.clear();
    this.#tails.clear();
  }
}
