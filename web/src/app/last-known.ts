/**
 * What the threads said when the server was last heard, for a page that has to start without it: the lists, and the
 * newest cards of the threads that were open last. It is shown until the server says how things are, and never sent.
 *
 * It is a copy of what was said in a browser's storage, so it is bounded in number, size and age. Signing out, a
 * deletion, and a server that does not know this person any more take it away (`keeping.ts`).
 */
import { workspaceId } from "../api/whose.ts";
import type { Bot, Computer, Owner, Run, Thread } from "../contracts.ts";
import { type Card, isWritten } from "../stream/cards.ts";
import { RECORDED, type ThreadStore } from "../stream/thread-store.ts";
import { forgetful, KEPT, parsed } from "./storage.ts";

export const KEPT_THREADS = 10;
export const KEPT_CARDS = 60;
export const KEPT_CHARACTERS = 200_000;
export const KEPT_MS = 7 * 24 * 3_600_000;
/** Of one text in a card: its beginning and its end. */
export const TEXT_CHARACTERS = 16_000;
const LISTED = 500;

/** Ids have no dot in them. */
const WHO = workspaceId ?? "own";
const LISTED_OF = `${KEPT}lists.`;
const LISTS = LISTED_OF + WHO;
const THREAD = `${KEPT}thread.`;

export interface KnownLists {
  readonly owner: Owner;
  readonly bots: readonly Bot[];
  readonly threads: readonly Thread[];
}

export interface KnownThread {
  /** When it was so. */
  readonly ms: number;
  readonly run: Run | null;
  readonly computer: Computer | null;
  readonly cards: readonly Card[];
}

interface Place {
  readonly key: string;
  readonly who: string;
  readonly id: string;
  readonly ms: number;
}

/** The threads that are kept, of every workspace, newest first: its time is part of a key. */
function places(): Place[] {
  return forgetful
    .keys(THREAD)
    .map((key) => {
      const [who = "", id = "", ms] = key.slice(THREAD.length).split(".");
      return { key, who, id, ms: Number(ms) };
    })
    .sort((a, b) => b.ms - a.ms);
}

const placesOf = (id: string) => places().filter((one) => one.who === WHO && one.id === id);

function shortened(_key: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= TEXT_CHARACTERS) return value;
  const half = TEXT_CHARACTERS / 2;
  return `${value.slice(0, half)}\n⋯\n${value.slice(-half)}`;
}

/** As JSON, oldest first. */
function newestCards(store: ThreadStore): string[] {
  const cards: string[] = [];
  const order = store.order();
  let room = KEPT_CHARACTERS;
  for (let at = order.length - 1; at >= 0 && cards.length < KEPT_CARDS; at--) {
    const key = order[at] as string;
    if (store.rankOf(key) !== RECORDED) continue;
    const card = JSON.stringify(store.card(key), shortened);
    room -= card.length;
    if (room < 0) break;
    cards.push(card);
  }
  return cards.reverse();
}

export function keepLists({ owner, bots, threads }: KnownLists, now: number): void {
  const known = { ms: now, owner, bots, threads: threads.slice(0, LISTED) };
  forgetful.set(LISTS, JSON.stringify(known));
  const there = new Set(threads.map((one) => one.id));
  for (const { key, who, id } of places()) if (who === WHO && !there.has(id)) forgetful.remove(key);
}

export function keepThread(id: string, store: ThreadStore, now: number): void {
  const { run, computer } = store.facts();
  const known = JSON.stringify({ ms: now, run, computer });
  const cards = newestCards(store);
  for (const { key } of [...placesOf(id), ...places().slice(KEPT_THREADS - 1)]) forgetful.remove(key);
  forgetful.set(`${THREAD}${WHO}.${id}.${now}`, `${known.slice(0, -1)},"cards":[${cards.join()}]}`);
}

export function knownLists(now: number): KnownLists | null {
  const known = parsed<KnownLists & { ms: number }>(forgetful.get(LISTS));
  if (known === null || now - known.ms > KEPT_MS) return null;
  return { owner: known.owner, bots: known.bots, threads: known.threads };
}

export function knownThread(id: string, now: number): KnownThread | null {
  const [place] = placesOf(id);
  if (place === undefined || !(now - place.ms <= KEPT_MS)) return null;
  const known = parsed<KnownThread>(forgetful.get(place.key));
  if (known === null) return null;
  // JSON has no infinity, which is how a text that is whole is told from one that is being written.
  const whole = (card: Card) => (isWritten(card) ? { ...card, attempt: Number.POSITIVE_INFINITY } : card);
  return { ...known, cards: known.cards.map(whole) };
}

export function forgetThread(id: string): void {
  for (const { key } of placesOf(id)) forgetful.remove(key);
}

/** Everything of the owner that the page shows; `all`: of every owner. */
export function forgetKnown(all: boolean): void {
  forgetful.remove(LISTS);
  for (const { key, who } of places()) if (all || who === WHO) forgetful.remove(key);
  if (all) for (const key of forgetful.keys(KEPT)) forgetful.remove(key);
}

/** What nobody has come back to for so long that it says nothing about now. */
export function forgetOld(now: number): void {
  for (const { key, ms } of places()) if (!(now - ms <= KEPT_MS)) forgetful.remove(key);
  for (const key of forgetful.keys(LISTED_OF)) {
    const known = parsed<{ ms: number }>(forgetful.get(key));
    if (known === null || !(now - known.ms <= KEPT_MS)) forgetful.remove(key);
  }
}
