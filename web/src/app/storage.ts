/**
 * The browser's storage, which may be missing or full: then things are remembered for as long as the page is open.
 */
import type { OutboxStorage, OutMessage } from "../stream/outbox.ts";

function attempt<T>(action: () => T, otherwise: T): T {
  try {
    return action();
  } catch (reason) {
    if (reason instanceof DOMException) return otherwise;
    throw reason;
  }
}

function remembering(storage: () => Storage) {
  const memory = new Map<string, string>();
  return {
    get(key: string): string | null {
      return memory.get(key) ?? attempt(() => storage().getItem(key), null);
    },
    set(key: string, value: string): void {
      const kept = attempt(() => {
        storage().setItem(key, value);
        return true;
      }, false);
      if (kept) memory.delete(key);
      else memory.set(key, value);
    },
    remove(key: string): void {
      memory.delete(key);
      attempt(() => storage().removeItem(key), undefined);
    },
    keys(prefix: string): string[] {
      const stored = attempt(() => Object.keys(storage()), []);
      return [...new Set([...stored, ...memory.keys()])].filter((key) => key.startsWith(prefix));
    },
  };
}

export const forgetful = remembering(() => localStorage);
export const ofThisTab = remembering(() => sessionStorage);

export function parsed<T>(text: string | null): T | null {
  if (text === null) return null;
  try {
    return JSON.parse(text) as T;
  } catch (reason) {
    if (reason instanceof SyntaxError) return null;
    throw reason;
  }
}

const OUT = "berth.out.";

/** A key a message, so that two tabs never overwrite each other's. */
export const outboxStorage: OutboxStorage = {
  load: () =>
    forgetful
      .keys(OUT)
      .map((key) => parsed<OutMessage>(forgetful.get(key)))
      .filter((message) => message !== null)
      // What an older page had written down knows of no queue.
      .map((message) => ({ ...message, during: message.during ?? "steer" }))
      .sort((a, b) => a.createdMs - b.createdMs),
  save: (message) => forgetful.set(OUT + message.clientId, JSON.stringify(message)),
  remove: (clientId) => forgetful.remove(OUT + clientId),
};

const DRAFT = "berth.draft.";

/** What stands in a thread's composer and was not sent. */
export const drafts = {
  get: (threadId: string): string => forgetful.get(DRAFT + threadId) ?? "",
  set: (threadId: string, text: string): void => {
    if (text === "") forgetful.remove(DRAFT + threadId);
    else forgetful.set(DRAFT + threadId, text);
  },
};

/** An upload that this tab has begun: what is needed to know its file again after a reload. */
export interface BegunUpload {
  readonly id: string;
  readonly threadId: string;
  readonly name: string;
  readonly size: number;
  readonly modified: number;
  readonly share: number;
}

const BEGUN = "berth.upload.";

export const begunUploads = {
  load: (): BegunUpload[] =>
    ofThisTab
      .keys(BEGUN)
      .sort()
      .map((key) => parsed<BegunUpload>(ofThisTab.get(key)))
      .filter((upload) => upload !== null),
  save: (upload: BegunUpload): void => ofThisTab.set(BEGUN + upload.id, JSON.stringify(upload)),
  remove: (id: string): void => ofThisTab.remove(BEGUN + id),
};

/** What was said, as far as it is kept for a start without a server (`last-known.ts`). */
export const KEPT = "berth.kept.";

/** Nothing that somebody wrote stays in this browser; how the page looks does. */
export function forgetContent(): void {
  for (const [storage, prefix] of [
    [forgetful, OUT],
    [forgetful, DRAFT],
    [forgetful, KEPT],
    [ofThisTab, BEGUN],
  ] as const) {
    for (const key of storage.keys(prefix)) storage.remove(key);
  }
}
