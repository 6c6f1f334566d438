/**
 * What can be done on this page, by name: one list for the keys, the palette and what is typed behind a `/`.
 *
 * A part of the page says what it can do as long as it is there; what nobody says can not be done now and is not
 * offered.
 */
import { useEffect, useRef } from "react";
import { createStore } from "zustand/vanilla";
import type { Dictionary } from "../i18n/text.ts";

export type CommandId = keyof Dictionary["pageCommands"];

interface Command {
  readonly id: CommandId;
  /** The keys, as `Mod+Shift+O`: `Mod` is Ctrl, on a Mac ⌘. A single sign counts outside of fields only. */
  readonly keys?: string;
  /** What is typed behind a `/` in the composer. */
  readonly slash?: string;
}

/** In the order in which they are shown. */
export const COMMANDS: readonly Command[] = [
  { id: "palette", keys: "Mod+K" },
  { id: "newThread", keys: "Mod+Shift+O", slash: "new" },
  { id: "stop", keys: "Mod+.", slash: "stop" },
  { id: "find", keys: "Mod+F", slash: "find" },
  { id: "latest", keys: "Alt+End", slash: "latest" },
  { id: "compose", keys: "Escape" },
  { id: "attach", keys: "Mod+U", slash: "attach" },
  { id: "model", slash: "model" },
  { id: "computer", keys: "Mod+J", slash: "computer" },
  { id: "list", keys: "Mod+B", slash: "list" },
  { id: "previousThread", keys: "Alt+ArrowUp" },
  { id: "nextThread", keys: "Alt+ArrowDown" },
  { id: "search", keys: "Mod+Shift+F", slash: "search" },
  { id: "rename", slash: "rename" },
  { id: "botSettings", slash: "bot" },
  { id: "newBot", slash: "newbot" },
  { id: "routines", slash: "routines" },
  { id: "settings", keys: "Mod+,", slash: "settings" },
  { id: "shortcuts", keys: "?", slash: "help" },
];

export type Handlers = Readonly<Partial<Record<CommandId, () => void>>>;

/** What can be done now. */
export const handlers = createStore<Handlers>(() => ({}));

export function run(id: CommandId): void {
  handlers.getState()[id]?.();
}

/** Offers the command as long as the component is on the page and `action` is not null. */
export function useCommand(id: CommandId, action: (() => void) | null): void {
  const newest = useRef(action);
  useEffect(() => {
    newest.current = action;
  });
  const there = action !== null;
  useEffect(() => {
    if (!there) return;
    const mine = () => newest.current?.();
    handlers.setState({ [id]: mine });
    return () => {
      // Another part of the page may have taken it over meanwhile.
      if (handlers.getState()[id] === mine) handlers.setState({ [id]: undefined });
    };
  }, [id, there]);
}
