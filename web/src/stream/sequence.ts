/**
 * Puts numbered events into their order: each exactly once, none before the one it follows.
 *
 * What comes too early is held; the caller decides how long it waits before it asks for the missing ones.
 */
export const HELD_MAX = 512;

export class Sequence<T> {
  cursor: number;
  readonly #held = new Map<number, T>();

  constructor(cursor = 0) {
    this.cursor = cursor;
  }

  /** Returns what may be applied now. A repeated event gives nothing. */
  offer(seq: number, event: T): T[] {
    if (seq <= this.cursor) return [];
    if (seq > this.cursor + 1) {
      if (this.#held.size < HELD_MAX) this.#held.set(seq, event);
      return [];
    }
    const ready = [event];
    this.cursor = seq;
    for (let next = this.#take(); next !== undefined; next = this.#take()) ready.push(next);
    return ready;
  }

  get hasGap(): boolean {
    return this.#held.size > 0;
  }

  /** Forgets what was held, when the missing events and all later ones are asked for again. */
  release(): void {
    this.#held.clear();
  }

  #take(): T | undefined {
    const seq = this.cursor + 1;
    const event = this.#held.get(seq);
    if (event === undefined) return undefined;
    this.#held.delete(seq);
    this.cursor = seq;
    return event;
  }
}
