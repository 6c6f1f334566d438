/** Which keys mean which command, and how keys are written for a person. */
import { useEffect } from "react";
import { COMMANDS, handlers, run } from "./commands.ts";
import { preferences } from "./preferences.ts";

export const isMac = (platform = navigator.platform): boolean => /^(Mac|iP)/.test(platform);

/** What of a pressed key matters here. */
export type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** Whether the keys are one sign or Escape, which a field needs for itself. */
export const isPlain = (keys: string): boolean => !keys.includes("+");

export function matches(keys: string, press: Press, mac: boolean): boolean {
  const parts = keys.split("+");
  const key = parts.at(-1) ?? "";
  const has = (part: string) => parts.includes(part);
  const [mod, other] = mac ? [press.metaKey, press.ctrlKey] : [press.ctrlKey, press.metaKey];
  if (mod !== has("Mod") || other || press.altKey !== has("Alt")) return false;
  // Where a sign needs Shift, as ? does, is the keyboard's own affair.
  if (!isPlain(keys) && press.shiftKey !== has("Shift")) return false;
  return press.key.toLowerCase() === key.toLowerCase();
}

const MAC_SIGNS: Record<string, string> = { Mod: "⌘", Shift: "⇧", Alt: "⌥" };
const SIGNS: Record<string, string> = { Mod: "Ctrl" };
const KEYS: Record<string, string> = { ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };

/** The keys one by one, as they stand on a keyboard. */
export const written = (keys: string, mac: boolean): string[] =>
  keys.split("+").map((part) => (mac ? MAC_SIGNS : SIGNS)[part] ?? KEYS[part] ?? part);

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

/** Runs the commands by their keys, as long as nothing lies above the page. */
export function useShortcuts(): void {
  useEffect(() => {
    const mac = isMac();
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      if (document.querySelector("[role=dialog], [role=menu]") !== null) return;
      const command = COMMANDS.find(({ keys }) => keys !== undefined && matches(keys, event, mac));
      if (command?.keys === undefined || handlers.getState()[command.id] === undefined) return;
      const plain = isPlain(command.keys);
      if (plain && isField(event.target)) return;
      if (plain && command.keys !== "Escape" && !preferences.getState().plainKeys) return;
      event.preventDefault();
      run(command.id);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
