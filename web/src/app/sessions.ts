/**
 * The threads that are open or were lately, kept outside of React so that no change of layout touches them.
 *
 * One stream at a time: the thread in view. The others keep what they know and ask for the rest on return.
 */

import * as berth from "../api/berth.ts";
import { ApiError, mayPass } from "../api/http.ts";
import { inOwner } from "../api/whose.ts";
import type { Upload } from "../contracts.ts";
import { NO_ANSWER, type Ports, SIGNED_OUT, type Socket } from "../stream/connection.ts";
import { Outbox, type OutMessage, Refused } from "../stream/outbox.ts";
import { ThreadSession } from "../stream/thread-session.ts";
import { ticketedSocket } from "../stream/ticketed.ts";
import { contact, followContact, noteAnswer } from "./contact.ts";
import {
  directory,
  leaveBehind,
  noteThread,
  noteTitle,
  refresh,
  refreshThreads,
  titleOf,
} from "./directory.ts";
import { forgetThread, keepSoon, recall } from "./keeping.ts";
import { news } from "./news.ts";
import { preferences } from "./preferences.ts";
import { forgetSeen } from "./seen.ts";
import { outboxStorage } from "./storage.ts";

const KEPT = 8;
const FRAME_AT_MOST_MS = 250;

/** Frames do not come to a hidden page, but what arrives has to be worked off there too. */
function frame(run: () => void): void {
  let ran = false;
  const once = () => {
    if (ran) return;
    ran = true;
    clearTimeout(timer);
    run();
  };
  const timer = setTimeout(once, FRAME_AT_MOST_MS);
  requestAnimationFrame(once);
}

function dial(path: string): Socket {
  const url = new URL(inOwner(path), location.href);
  url.protocol = url.protocol.replace("http", "ws");
  return new WebSocket(url) as unknown as Socket;
}

export const ports: Ports = {
  open: (path) =>
    ticketedSocket(
      path,
      async (asked) => (await noteAnswer(() => berth.getTicket({ path: asked }))).ticket,
      dial,
      (reason) =>
        reason instanceof ApiError && reason.problem.code === "unauthenticated" ? SIGNED_OUT : NO_ANSWER,
    ),
  later(run, ms) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  frame,
  now: () => performance.now(),
  random: Math.random,
};

export const outbox = new Outbox(ports, outboxStorage, async (message) => {
  try {
    return await berth.sendMessage(message.threadId, {
      client_id: message.clientId,
      text: message.text,
      upload_ids: message.uploads.map((upload) => upload.id),
      during: message.during,
      model: message.model ?? null,
      effort: message.effort ?? null,
      locale: preferences.getState().locale,
    });
  } catch (reason) {
    if (reason instanceof ApiError && !mayPass(reason)) throw new Refused(reason.problem);
    throw reason;
  }
});

/** What a person may say of a message; what is not said is as usual. */
export type Manner = Partial<Pick<OutMessage, "during" | "model" | "effort">>;

export function sendMessage(
  threadId: string,
  text: string,
  uploads: readonly Upload[],
  manner: Manner = {},
): void {
  const usual = { during: "steer", model: null, effort: null } as const;
  const sent = { clientId: crypto.randomUUID(), threadId, text, uploads, createdMs: Date.now() };
  outbox.send({ ...sent, ...usual, ...manner });
}

const sessions = new Map<string, ThreadSession>();
let current: ThreadSession | null = null;

function make(threadId: string): ThreadSession {
  const session = new ThreadSession({
    threadId,
    ports,
    outbox,
    onEvent(event, replayed) {
      keepSoon(session);
      // The server names a thread after its first message, which may be there before its stream is.
      if (event.seq === 1 && titleOf(threadId) === "") void refreshThreads();
      if (replayed) return;
      news.setState({ event });
      const place = { headSeq: event.seq, at: event.at_ms };
      // The run that the thread is at, which is not one that is queued behind it.
      const run = session.store.facts().run;
      noteThread(threadId, event.type === "run.status" && run !== null ? { ...place, run } : place);
    },
    onTitle: (title) => noteTitle(threadId, title),
    onGone: () => void refreshThreads(),
    onLeftOut: leaveBehind,
    // The list is refused too then, and that takes the person to the door.
    onSignedOut: () => void refreshThreads(),
    // A stream that cannot be had may belong to a thread that is gone: the list knows.
    onTrouble: (times) => {
      if (times % 3 === 0) void refreshThreads();
    },
  });
  recall(session);
  return session;
}

export function sessionOf(threadId: string): ThreadSession {
  const session = sessions.get(threadId) ?? make(threadId);
  sessions.delete(threadId);
  sessions.set(threadId, session);
  for (const id of sessions.keys()) {
    if (sessions.size <= KEPT) break;
    sessions.delete(id);
  }
  return session;
}

/** The thread comes into view; returns what to do when it leaves. */
export function enter(session: ThreadSession): () => void {
  current = session;
  const { keptMs } = session.store.facts();
  if (keptMs !== null) contact.setState({ lostMs: keptMs, answers: false });
  session.open();
  const unfollow = followContact(session);
  return () => {
    unfollow();
    session.close();
    if (current === session) current = null;
  };
}

export function forgetSession(threadId: string): void {
  sessions.get(threadId)?.close();
  sessions.delete(threadId);
  forgetThread(threadId);
  forgetSeen(threadId);
}

/** Listens for the moments at which a page learns that it may have missed something. */
export function watchForReturn(): void {
  let hiddenSince: number | null = null;
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") {
      hiddenSince = performance.now();
      return;
    }
    current?.wake(hiddenSince === null ? 0 : performance.now() - hiddenSince);
    hiddenSince = null;
    outbox.resume();
    void refresh();
  });
  window.addEventListener("online", () => {
    current?.wake(Number.POSITIVE_INFINITY);
    outbox.resume();
    void refresh();
  });
  // The list is asked for now and then; when it knows more of the open thread, the stream lost something.
  directory.subscribe(({ threads }) => {
    const known = threads?.find((one) => one.id === current?.threadId);
    if (known !== undefined) current?.expect(known.head_seq);
  });
  outbox.resume();
  // A kept page has dialled in vain until now.
  if (current !== null && current.state() !== "live") current.wake(Number.POSITIVE_INFINITY);
}
