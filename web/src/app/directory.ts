/**
 * Who the owner is and which bots and threads there are: the one list that every part of the page reads.
 *
 * It is asked for now and then, since the server tells about one open thread only; what that thread's
 * stream says about itself is taken over at once.
 */
import { createStore } from "zustand/vanilla";
import * as berth from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import type { Bot, BotChange, BotCreate, BranchCreate, Owner, Problem, Run, Thread } from "../contracts.ts";
import { chooseLocale, preferences } from "./preferences.ts";

export interface Directory {
  readonly owner: Owner | null;
  readonly bots: readonly Bot[] | null;
  readonly threads: readonly Thread[] | null;
  readonly trouble: Problem | "unreachable" | null;
}

export const directory = createStore<Directory>(() => ({
  owner: null,
  bots: null,
  threads: null,
  trouble: null,
}));

const REFRESH_MS = 15_000;

function newestFirst(threads: readonly Thread[]): Thread[] {
  return [...threads].sort((a, b) => b.updated_ms - a.updated_ms);
}

export async function refresh(): Promise<void> {
  try {
    const [owner, bots, threads] = await Promise.all([berth.getOwner(), berth.getBots(), berth.getThreads()]);
    directory.setState({ owner, bots: bots.items, threads: newestFirst(threads.items), trouble: null });
    if (!preferences.getState().localeChosen && owner.locale !== "en") chooseLocale(owner.locale);
  } catch (reason) {
    directory.setState({ trouble: problemOf(reason) });
  }
}

/** Asks for the threads again while somebody is looking; bots and owner change by this page's own hand. */
export function keepFresh(): void {
  setInterval(() => {
    if (document.visibilityState !== "visible") return;
    if (directory.getState().threads === null) void refresh();
    else void refreshThreads();
  }, REFRESH_MS);
}

export async function refreshThreads(): Promise<void> {
  try {
    const threads = await berth.getThreads();
    directory.setState({ threads: newestFirst(threads.items), trouble: null });
  } catch (reason) {
    directory.setState({ trouble: problemOf(reason) });
  }
}

export function withThread(thread: Thread): void {
  const others = (directory.getState().threads ?? []).filter((one) => one.id !== thread.id);
  directory.setState({ threads: newestFirst([thread, ...others]) });
}

/** An empty thread of the bot is used again rather than joined by a second one. */
export async function openNewThread(botId: string): Promise<Thread> {
  const empty = directory.getState().threads?.find((one) => one.bot_id === botId && one.head_seq === 0);
  if (empty !== undefined) return empty;
  const thread = await berth.createThread({ bot_id: botId });
  withThread(thread);
  return thread;
}

/** A thread beside another one, with the message at `seq` written anew or sent again. */
export async function branchThread(
  threadId: string,
  branch: Pick<BranchCreate, "seq" | "text">,
): Promise<Thread> {
  const made = await berth.createBranch(threadId, { client_id: crypto.randomUUID(), ...branch });
  withThread(made.thread);
  return made.thread;
}

export async function renameThread(id: string, title: string): Promise<void> {
  withThread(await berth.renameThread(id, title));
}

/** The thread that was deleted last, as long as the page offers to undo it. */
export const removed = createStore<{ readonly thread: Thread | null }>(() => ({ thread: null }));

export async function removeThread(thread: Thread): Promise<void> {
  await berth.deleteThread(thread.id);
  const others = (directory.getState().threads ?? []).filter((one) => one.id !== thread.id);
  directory.setState({ threads: others });
  removed.setState({ thread });
}

/** A title that the thread's stream told, without a change of its place in the list. */
export function noteTitle(id: string, title: string): void {
  const threads = (directory.getState().threads ?? []).map((one) =>
    one.id === id ? { ...one, title } : one,
  );
  directory.setState({ threads });
}

export async function addBot(bot: BotCreate): Promise<Bot> {
  const added = await berth.createBot(bot);
  directory.setState({ bots: [...(directory.getState().bots ?? []), added] });
  return added;
}

export async function editBot(id: string, change: BotChange): Promise<void> {
  const changed = await berth.changeBot(id, change);
  const bots = (directory.getState().bots ?? []).map((one) => (one.id === id ? changed : one));
  directory.setState({ bots });
}

export async function removeBot(id: string): Promise<void> {
  await berth.deleteBot(id);
  await refresh();
}

/** What a thread's stream knows sooner than the list. */
export function noteThread(id: string, news: { run?: Run; headSeq: number; at: number }): void {
  const thread = directory.getState().threads?.find((one) => one.id === id);
  if (thread === undefined || news.headSeq <= thread.head_seq) return;
  withThread({
    ...thread,
    run: news.run ?? thread.run ?? null,
    head_seq: news.headSeq,
    updated_ms: Math.max(news.at, thread.updated_ms),
  });
}
