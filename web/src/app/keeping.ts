/**
 * When what is known is kept for a start without a server, and when it is forgotten. Nothing is kept by a page that
 * does not know whether it is the server's, nor by a view in another page's frame.
 */
import { workspaceId } from "../api/whose.ts";
import type { ThreadSession } from "../stream/thread-session.ts";
import { isKept } from "./build.ts";
import { type Directory, directory } from "./directory.ts";
import * as known from "./last-known.ts";
import { forgetContent } from "./storage.ts";

const SETTLE_MS = 3_000;

let keeps = false;
const due = new Map<string, ThreadSession>();
let listsDue = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** What a kept page shows until it has found its server. */
export function showLastKnown(): void {
  known.forgetOld(Date.now());
  directory.setState({ ...known.knownLists(Date.now()), trouble: "unreachable" });
}

/** Gives a thread what is kept of it, where nothing else is to be had. */
export function recall(session: ThreadSession): void {
  if (keeps || !isKept()) return;
  const thread = known.knownThread(session.threadId, Date.now());
  if (thread !== null) session.recall(thread);
}

function work(): void {
  clearTimeout(timer);
  timer = undefined;
  if (!keeps) return;
  const now = Date.now();
  for (const [id, { store }] of due) {
    if (!store.facts().caughtUp) continue;
    known.keepThread(id, store, now);
    due.delete(id);
  }
  const { owner, bots, threads, trouble } = directory.getState();
  if (listsDue && owner && bots && threads && trouble === null)
    known.keepLists({ owner, bots, threads }, now);
  listsDue = false;
}

/** Not while somebody types or scrolls. */
function arm(): void {
  timer ??= setTimeout(() => {
    if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: SETTLE_MS });
    else work();
  }, SETTLE_MS);
}

export function keepSoon(session: ThreadSession): void {
  if (!keeps) return;
  due.set(session.threadId, session);
  arm();
}

export function forgetThread(id: string): void {
  due.delete(id);
  known.forgetThread(id);
}

/** Whether the server has just said that there is nothing here to be read: by anybody, or in this workspace. */
function isRefused({ owner, trouble, outside }: Directory): boolean {
  if (owner?.deletion_ms || outside !== null) return true;
  if (trouble === null || trouble === "unreachable") return false;
  if (trouble.code === "unauthenticated" || trouble.code === "being_deleted") return true;
  return trouble.code === "not_found" && workspaceId !== null;
}

export function startKeeping(): void {
  keeps = true;
  const lists = known.knownLists(Date.now());
  let whose = lists?.owner.id ?? null;
  known.forgetOld(Date.now());
  directory.subscribe((now) => {
    const another = whose !== null && now.owner !== null && now.trouble === null && now.owner.id !== whose;
    if (another || isRefused(now)) {
      due.clear();
      const outside =
        now.trouble !== null && now.trouble !== "unreachable" && now.trouble.code === "unauthenticated";
      known.forgetKnown(another || outside);
    }
    whose = now.owner?.id ?? whose;
    if (!isRefused(now)) listsDue = true;
    if (keeps) arm();
  });
  // A page that is put away may never be asked again.
  window.addEventListener("pagehide", work);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && work());
}

/** Nothing that was said or written stays in this browser, and nothing more is kept until the page is loaded anew. */
export function forgetAllContent(): void {
  keeps = false;
  due.clear();
  forgetContent();
}
