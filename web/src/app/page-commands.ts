/** The commands that concern the page as a whole: where to go, and what stands beside the conversation. */

import { useStore } from "zustand";
import type { Thread } from "../contracts.ts";
import { embedding } from "../embed/mode.ts";
import { useCommand } from "./commands.ts";
import { directory } from "./directory.ts";
import { preferences, showList } from "./preferences.ts";
import { useMay } from "./rights.ts";

/** Below it the list of threads is a sheet over the page; as in the style sheets. */
const NARROW = "(max-width: 720px)";

export const isNarrow = (): boolean => matchMedia(NARROW).matches;

/** The thread that stands above (-1) or below (1) in the list, which goes by bots. */
export function neighbour(
  threads: readonly Thread[],
  bots: readonly { readonly id: string }[],
  current: string | null,
  by: -1 | 1,
): Thread | null {
  const listed = bots.flatMap((bot) => threads.filter((thread) => thread.bot_id === bot.id));
  const at = listed.findIndex((thread) => thread.id === current);
  if (at < 0) return listed[by > 0 ? 0 : listed.length - 1] ?? null;
  return listed[at + by] ?? null;
}

/** The list was moved by a key or a button that is gone now: the focus goes to the one that undoes it. */
function focusOnListButton(): void {
  requestAnimationFrame(() => {
    const at = document.activeElement;
    if (at !== null && at !== document.body && at.checkVisibility()) return;
    const buttons = [...document.querySelectorAll<HTMLElement>("[data-list-button]")];
    buttons.find((button) => button.checkVisibility())?.focus();
  });
}

export interface PageParts {
  threadId: string | null;
  openSheet: () => void;
  go: (to: string) => void;
  newThread: (botId: string) => void;
  newBot: () => void;
  openPalette: () => void;
  openShortcuts: () => void;
}

export function openList(openSheet: () => void): void {
  if (isNarrow()) return openSheet();
  showList(true);
  focusOnListButton();
}

export function closeList(): void {
  showList(false);
  focusOnListButton();
}

/** Goes to the field of the search, which may have to be shown first. */
function searchIn(openSheet: (() => void) | null): void {
  if (openSheet !== null) openList(openSheet);
  requestAnimationFrame(() => {
    const fields = [...document.querySelectorAll<HTMLElement>("input[type=search]")];
    fields.find((field) => field.checkVisibility())?.focus();
  });
}

export function usePageCommands(page: PageParts): void {
  const { bots, threads } = useStore(directory);
  const manages = useMay("manage");
  const chats = useMay("chat");
  const hidden = useStore(preferences, (all) => all.listHidden);
  const bot =
    bots?.find(({ id }) => id === threads?.find((one) => one.id === page.threadId)?.bot_id) ?? bots?.[0];
  const step = (by: -1 | 1) => {
    const next = neighbour(threads ?? [], bots ?? [], page.threadId, by);
    return next === null ? null : () => page.go(`/t/${next.id}`);
  };
  useCommand("palette", page.openPalette);
  useCommand("shortcuts", page.openShortcuts);
  useCommand("newThread", bot === undefined || !chats ? null : () => page.newThread(bot.id));
  useCommand("newBot", manages ? page.newBot : null);
  // An app that holds the page has a list of its own.
  const listed = embedding === "none";
  const away = () => hidden || isNarrow();
  useCommand("list", listed ? () => (away() ? openList(page.openSheet) : closeList()) : null);
  useCommand("search", listed ? () => searchIn(away() ? page.openSheet : null) : null);
  useCommand("previousThread", step(-1));
  useCommand("nextThread", step(1));
  useCommand("routines", () => page.go("/routines"));
  useCommand("settings", () => page.go("/settings"));
}
