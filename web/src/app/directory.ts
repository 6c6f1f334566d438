/**
 * Who the owner is and which bots and threads there are: the one list that every part of the page reads.
 *
 * It is asked for now and then, since the server tells about one open thread only; what that thread's
 * stream says about itself is taken over at once.
 */
import { createStore } from "zustand/vanilla";
import * as berth from "../api/berth.ts";
import { pause, problemOf } from "../api/http.ts";
import { workspaceId } from "../api/whose.ts";
import type {
  Bot,
  BotChange,
  BotCreate,
  BranchCreate,
  Owner,
  Problem,
  Retention,
  Run,
  Thread,
} from "../contracts.ts";
import type { Locale } from "../i18n/locale.ts";
import { chooseLocale, preferences } from "./preferences.ts";

export interface Directory {
  readonly owner: Owner | null;
  readonly bots: readonly Bot[] | null;
  readonly threads: readonly Thread[] | null;
  readonly trouble: Problem | "unreachable" | null;
  /** The workspace of the page is none of the person's: they were taken out of it, or the server knows of none. */
  readonly outside: "removed" | "unknown" | null;
}

export const directory = createStore<Directory>(() => ({
  owner: null,
  bots: null,
  threads: null,
  trouble: null,
  outside: null,
}));

/** Nothing of a workspace stays on the page of somebody who does not belong to it, and it asks for no more of it. */
function close(outside: "removed" | "unknown"): void {
  if (workspaceId === null || directory.getState().outside !== null) return;
  pause();
  directory.setState({ owner: null, bots: null, threads: null, trouble: null, outside });
}

/** The person was taken out of the workspace while they looked at it. */
export const leaveBehind = (): void => close("removed");

function note(trouble: Problem | "unreachable"): void {
  directory.setState({ trouble });
  if (trouble !== "unreachable" && trouble.code === "not_found") close("unknown");
}

/** Whether settings of this owner are for the person who asks to choose. */
const mayChange = (owner: Owner): boolean => owner.role === undefined || owner.role === "owner";

const REFRESH_MS = 15_000;

function newestFirst(threads: readonly Thread[]): Thread[] {
  return [...threads].sort((a, b) => b.updated_ms - a.updated_ms);
}

/** The zone of days and months is where its owner first looked from, until they name another. */
function tellZone(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  berth.changeOwner({ time_zone: timeZone }).then(
    (owner) => directory.setState({ owner }),
    // A zone that the server does not know: days are those of UTC.
    (reason: unknown) => problemOf(reason),
  );
}

/** Rises with what this page changes: an answer to a question from before may not know of it. */
let changes = 0;

function changeHere(part: Partial<Directory>): void {
  changes++;
  directory.setState(part);
}

/** An answer that knows every change of this page; they are a person's, so it is not asked often. */
async function askUnchanged<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    const before = changes;
    const answer = await ask();
    if (before === changes) return answer;
  }
}

let asked = 0;
let taken = 0;

/** The list, or what is known already where a later question was answered earlier. */
async function latestThreads(): Promise<readonly Thread[]> {
  const number = ++asked;
  const { items } = await askUnchanged(berth.getThreads);
  const known = directory.getState().threads ?? [];
  if (number < taken) return known;
  taken = number;
  return newestFirst(
    items.map((thread) => {
      const noted = known.find((one) => one.id === thread.id);
      const ahead = noted && noted.head_seq > thread.head_seq && noted.updated_ms >= thread.updated_ms;
      if (!ahead) return thread;
      const { run = null, head_seq, updated_ms } = noted;
      return { ...thread, run, head_seq, updated_ms };
    }),
  );
}

export async function refresh(): Promise<void> {
  try {
    const [owner, bots, threads] = await Promise.all([
      askUnchanged(berth.getOwner),
      askUnchanged(berth.getBots),
      latestThreads(),
    ]);
    if (directory.getState().outside !== null) return;
    directory.setState({ owner, bots: bots.items, threads, trouble: null });
    if (!owner.time_zone && mayChange(owner)) tellZone();
    if (!preferences.getState().localeChosen && owner.locale !== "en") chooseLocale(owner.locale);
  } catch (reason) {
    const trouble = problemOf(reason);
    note(trouble);
    if (trouble !== "unreachable" && trouble.code === "being_deleted") await lookWhether();
  }
}

/** Where everything will be deleted, only the owner itself is told; where it is under way, not even that. */
async function lookWhether(): Promise<void> {
  try {
    directory.setState({ owner: await berth.getOwner(), bots: null, threads: null });
  } catch (reason) {
    directory.setState({ trouble: problemOf(reason) });
  }
}

/**
 * Asks for the threads again while somebody is looking. Bots and owner change by this page's own hand, but in a workspace by
 * others' too, and with it what the person may do.
 */
export function keepFresh(): void {
  setInterval(() => {
    if (document.visibilityState !== "visible") return;
    if (directory.getState().threads === null || workspaceId !== null) void refresh();
    else void refreshThreads();
  }, REFRESH_MS);
}

export async function refreshThreads(): Promise<void> {
  try {
    const threads = await latestThreads();
    if (directory.getState().outside === null) directory.setState({ threads, trouble: null });
  } catch (reason) {
    note(problemOf(reason));
  }
}

function besides(thread: Thread): Thread[] {
  return (directory.getState().threads ?? []).filter((one) => one.id !== thread.id);
}

export function withThread(thread: Thread): void {
  changeHere({ threads: newestFirst([thread, ...besides(thread)]) });
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
export async function branchThread(threadId: string, branch: BranchCreate): Promise<Thread> {
  const made = await berth.createBranch(threadId, branch);
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
  changeHere({ threads: besides(thread) });
  removed.setState({ thread });
}

export const titleOf = (id: string): string | undefined =>
  directory.getState().threads?.find((one) => one.id === id)?.title;

/** A title that the thread's stream told, without a change of its place in the list. */
export function noteTitle(id: string, title: string): void {
  const threads = (directory.getState().threads ?? []).map((one) =>
    one.id === id ? { ...one, title } : one,
  );
  changeHere({ threads });
}

/** How long things are kept from now on. */
export async function changeRetention(retention: Retention): Promise<void> {
  changeHere({ owner: await berth.changeOwner({ retention }) });
}

/** The language holds in this browser whatever the server makes of it. */
export function tellLocale(locale: Locale): void {
  chooseLocale(locale);
  const { owner } = directory.getState();
  // A language of one's own in a workspace of others is this browser's.
  if (owner !== null && !mayChange(owner)) return;
  berth.changeOwner({ locale }).then(
    (owner) => changeHere({ owner }),
    (reason: unknown) => problemOf(reason),
  );
}

export async function addBot(bot: BotCreate): Promise<Bot> {
  const added = await berth.createBot(bot);
  changeHere({ bots: [...(directory.getState().bots ?? []), added] });
  return added;
}

export async function editBot(id: string, change: BotChange): Promise<void> {
  const changed = await berth.changeBot(id, change);
  const bots = (directory.getState().bots ?? []).map((one) => (one.id === id ? changed : one));
  changeHere({ bots });
}

export async function removeBot(id: string): Promise<void> {
  await berth.deleteBot(id);
  await refresh();
}

/** What a thread's stream knows sooner than the list. */
export function noteThread(id: string, news: { run?: Run; headSeq: number; at: number }): void {
  const thread = directory.getState().threads?.find((one) => one.id === id);
  if (thread === undefined || news.headSeq <= thread.head_seq) return;
  const noted = {
    ...thread,
    run: news.run ?? thread.run ?? null,
    head_seq: news.headSeq,
    updated_ms: Math.max(news.at, thread.updated_ms),
  };
  directory.setState({ threads: newestFirst([noted, ...besides(thread)]) });
}
