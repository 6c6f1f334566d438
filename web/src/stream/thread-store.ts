/**
 * The conversation as React reads it: an order of keys and a card for each, with a listener per card.
 *
 * A change to one card wakes the row that shows it and no other. Changes are applied at once and announced
 * once a frame, so a replay of thousands of events or a talkative command costs one render a frame. Rows
 * stand in three ranks, whatever the moment they came: what is recorded, what is being written, what is
 * still on its way to the server.
 */
import type { Computer, Run } from "../contracts.ts";
import type { Card } from "./cards.ts";

export type Rank = 0 | 1 | 2;
export const RECORDED: Rank = 0;
export const BEING_WRITTEN: Rank = 1;
export const UNSENT: Rank = 2;

/** What holds for the thread as a whole. */
export interface ThreadFacts {
  readonly run: Run | null;
  readonly computer: Computer | null;
  /** Whether everything recorded so far is here. */
  readonly caughtUp: boolean;
  /** When it was as it is shown, where that is from an earlier visit; null where the stream says what is. */
  readonly keptMs: number | null;
}

const NO_FACTS: ThreadFacts = { run: null, computer: null, caughtUp: false, keptMs: null };

type Listener = () => void;

export class ThreadStore {
  readonly #cards = new Map<string, Card>();
  readonly #ranks = new Map<string, Rank>();
  readonly #cardListeners = new Map<string, Set<Listener>>();
  readonly #orderListeners = new Set<Listener>();
  readonly #factListeners = new Set<Listener>();
  readonly #frame: (run: () => void) => void;
  /** What listeners see; `#next` becomes it at the next announcement. */
  #order: readonly string[] = [];
  #next: string[] = [];
  #facts = NO_FACTS;
  #changed = new Set<string>();
  #orderChanged = false;
  #factsChanged = false;
  #armed = false;

  constructor(frame: (run: () => void) => void) {
    this.#frame = frame;
  }

  readonly order = (): readonly string[] => this.#order;
  readonly facts = (): ThreadFacts => this.#facts;

  card(key: string): Card | undefined {
    return this.#cards.get(key);
  }

  readonly onOrder = (listener: Listener): (() => void) => {
    this.#orderListeners.add(listener);
    return () => this.#orderListeners.delete(listener);
  };

  readonly onFacts = (listener: Listener): (() => void) => {
    this.#factListeners.add(listener);
    return () => this.#factListeners.delete(listener);
  };

  onCard(key: string, listener: Listener): () => void {
    const listeners = this.#cardListeners.get(key) ?? new Set();
    this.#cardListeners.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#cardListeners.delete(key);
    };
  }

  /** Puts a card at the end of its rank. A card that moves to another rank keeps its key. */
  put(card: Card, rank: Rank = RECORDED): void {
    const had = this.#ranks.get(card.key);
    this.#cards.set(card.key, card);
    this.#ranks.set(card.key, rank);
    this.#changed.add(card.key);
    if (had !== rank) this.#place(card.key, rank, had !== undefined);
    this.#arm();
  }

  patch(key: string, change: (card: Card) => Card): void {
    const card = this.#cards.get(key);
    if (card === undefined) return;
    const next = change(card);
    if (next === card) return;
    this.#cards.set(key, next);
    this.#changed.add(key);
    this.#arm();
  }

  remove(key: string): void {
    if (!this.#cards.delete(key)) return;
    this.#ranks.delete(key);
    this.#next.splice(this.#next.lastIndexOf(key), 1);
    this.#orderChanged = true;
    this.#arm();
  }

  rankOf(key: string): Rank | undefined {
    return this.#ranks.get(key);
  }

  lastRecorded(): Card | undefined {
    const key = this.#next.findLast((one) => this.#ranks.get(one) === RECORDED);
    return key === undefined ? undefined : this.#cards.get(key);
  }

  *cards(): Iterable<Card> {
    for (const key of this.#next) {
      const card = this.#cards.get(key);
      if (card !== undefined) yield card;
    }
  }

  know(facts: Partial<ThreadFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
    this.#factsChanged = true;
    this.#arm();
  }

  /** Shows what another store holds, in place of everything but what is still on its way. */
  adopt(other: ThreadStore): void {
    const unsent = this.#next.filter((key) => this.#ranks.get(key) === UNSENT && !other.#cards.has(key));
    for (const key of this.#cards.keys()) {
      this.#changed.add(key);
      if (unsent.includes(key)) continue;
      this.#cards.delete(key);
      this.#ranks.delete(key);
    }
    for (const [key, card] of other.#cards) {
      this.#cards.set(key, card);
      this.#ranks.set(key, other.#ranks.get(key) ?? RECORDED);
      this.#changed.add(key);
    }
    this.#next = [...other.#next, ...unsent];
    this.#orderChanged = true;
    this.know(other.#facts);
  }

  /** Forgets the record; what is still on its way stays. */
  reset(): void {
    for (const [key, rank] of this.#ranks) {
      if (rank === UNSENT) continue;
      this.#cards.delete(key);
      this.#ranks.delete(key);
    }
    this.#next = this.#next.filter((key) => this.#cards.has(key));
    this.#orderChanged = true;
    this.know(NO_FACTS);
  }

  /** Announces what changed since the last time. */
  flush(): void {
    this.#armed = false;
    const changed = this.#changed;
    const [order, facts] = [this.#orderChanged, this.#factsChanged];
    this.#changed = new Set();
    this.#orderChanged = this.#factsChanged = false;
    if (order) this.#order = [...this.#next];
    if (order) for (const listener of this.#orderListeners) listener();
    if (facts) for (const listener of this.#factListeners) listener();
    for (const key of changed) for (const listener of this.#cardListeners.get(key) ?? []) listener();
  }

  #place(key: string, rank: Rank, moves: boolean): void {
    if (moves) this.#next.splice(this.#next.lastIndexOf(key), 1);
    let at = this.#next.length;
    while (at > 0 && (this.#ranks.get(this.#next[at - 1] as string) ?? RECORDED) > rank) at--;
    this.#next.splice(at, 0, key);
    this.#orderChanged = true;
  }

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    this.#frame(() => this.flush());
  }
}
