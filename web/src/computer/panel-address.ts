/**
 * Which part of the computer is open beside the conversation: the address says it, and this browser remembers it.
 *
 * On a wide screen the column comes back with the tab that was open last. On a small one it covers the page, so
 * only the address opens it, and going back closes it.
 */
import { useCallback, useMemo, useSyncExternalStore } from "react";
import { useSearchParams } from "wouter";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { forgetful } from "../app/storage.ts";

export const TABS = ["terminal", "files", "timeline", "about"] as const;
export type Tab = (typeof TABS)[number];

const OPEN = "berth.computer";
const LAST = "berth.computer.last";
const WIDE = "(min-width: 1024px)";
const PANEL = "panel";

export const tabOf = (text: string | null): Tab | null => TABS.find((tab) => tab === text) ?? null;

interface Remembered {
  readonly open: Tab | null;
  readonly last: Tab;
}

const remembered = createStore<Remembered>(() => ({
  open: tabOf(forgetful.get(OPEN)),
  last: tabOf(forgetful.get(LAST)) ?? TABS[0],
}));

function remember(tab: Tab | null): void {
  if (tab === null) forgetful.remove(OPEN);
  else forgetful.set(OPEN, tab);
  if (tab !== null) forgetful.set(LAST, tab);
  remembered.setState((before) => ({ open: tab, last: tab ?? before.last }));
}

function onWide(listener: () => void): () => void {
  const query = matchMedia(WIDE);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

const isWide = () => matchMedia(WIDE).matches;

/** What an address says beside the tab, and only while that tab is open. */
const PLACES = ["command", "path", "file", "run", "step", "changed"] as const;
export type Place = Readonly<Partial<Record<(typeof PLACES)[number], string>>>;

export interface Panel {
  readonly tab: Tab | null;
  /** The tab that the button of the computer opens. */
  readonly last: Tab;
  readonly wide: boolean;
  readonly place: URLSearchParams;
  show(tab: Tab, place?: Place): void;
  close(): void;
}

/** The parameters of an address with another place in the computer; those of the conversation stay. */
export function moved(before: URLSearchParams, tab: Tab | null, place: Place = {}): URLSearchParams {
  const after = new URLSearchParams(before);
  for (const name of [PANEL, ...PLACES]) after.delete(name);
  if (tab === null) return after;
  after.set(PANEL, tab);
  for (const [name, value] of Object.entries(place)) after.set(name, value);
  return after;
}

export function usePanel(): Panel {
  const [place, setPlace] = useSearchParams();
  const wide = useSyncExternalStore(onWide, isWide);
  const { open, last } = useStore(remembered);
  const named = tabOf(place.get(PANEL));
  const tab = named ?? (wide ? open : null);

  const show = useCallback(
    (next: Tab, where?: Place) => {
      remember(next);
      const opened = isOpen();
      // Only what covers the page is a step that going back undoes.
      const step = isWide() || opened ? { replace: true, state: history.state } : { state: COVERS };
      setPlace((before) => moved(before, next, where), step);
    },
    [setPlace],
  );
  const close = useCallback(() => {
    remember(null);
    if (isCover(history.state)) return history.back();
    setPlace((before) => moved(before, null), { replace: true });
  }, [setPlace]);
  return useMemo(() => ({ tab, last, wide, place, show, close }), [tab, last, wide, place, show, close]);
}

const isOpen = () => new URLSearchParams(location.search).has(PANEL);

/** What a step of the history carries that was made by opening the computer over the page. */
const COVERS = { covers: "computer" };

const isCover = (state: unknown) =>
  typeof state === "object" && state !== null && "covers" in state && state.covers === COVERS.covers;
