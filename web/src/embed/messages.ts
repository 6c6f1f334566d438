/**
 * What the page and whoever holds it say to each other: JSON with `berth: 1`. docs/embedding.md is for those who write
 * the other side. What is not understood is passed over, since the other side may be newer.
 */
import { THEMES, type Theme } from "../app/preferences.ts";
import { LOCALES, type Locale } from "../i18n/locale.ts";
import type { Embedding } from "./mode.ts";

export const PROTOCOL = 1;
const INSET_MAX = 400;
const SHARED_CHARACTERS_MAX = 200_000;

export interface Insets {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

export type Order =
  | { readonly type: "theme"; readonly theme: Theme }
  | { readonly type: "locale"; readonly locale: Locale }
  | { readonly type: "insets"; readonly insets: Insets }
  | { readonly type: "open"; readonly path: string }
  | { readonly type: "share"; readonly text: string }
  | { readonly type: "back" };

export type Report =
  | { readonly type: "ready"; readonly mode: Embedding; readonly path: string }
  | { readonly type: "path"; readonly path: string; readonly title: string }
  | { readonly type: "run"; readonly state: string }
  | { readonly type: "height"; readonly height: number }
  | { readonly type: "back"; readonly handled: boolean };

/** What a page that frames another may say: how it looks, and nothing that does anything. */
const OF_A_FRAME: ReadonlySet<Order["type"]> = new Set(["theme", "locale", "insets"] as const);

const SIDES = ["top", "right", "bottom", "left"] as const;

function insetsOf(said: Record<string, unknown>): Insets | null {
  const sizes = SIDES.map((side) => said[side] ?? 0);
  const fit = (size: unknown) =>
    typeof size === "number" && Number.isFinite(size) && size >= 0 && size <= INSET_MAX;
  if (!sizes.every(fit)) return null;
  const [top, right, bottom, left] = sizes as [number, number, number, number];
  return { top, right, bottom, left };
}

/** An address within the page and nothing that a browser would take for another host's. */
const isPath = (path: unknown): path is string =>
  typeof path === "string" && /^\/(?![/\\])[^\s\\]{0,500}$/.test(path);

function orderOf(said: Record<string, unknown>): Order | null {
  switch (said.type) {
    case "theme":
      return THEMES.includes(said.theme as Theme) ? { type: "theme", theme: said.theme as Theme } : null;
    case "locale":
      return LOCALES.includes(said.locale as Locale)
        ? { type: "locale", locale: said.locale as Locale }
        : null;
    case "insets": {
      const insets = insetsOf(said);
      return insets === null ? null : { type: "insets", insets };
    }
    case "open":
      return isPath(said.path) ? { type: "open", path: said.path } : null;
    case "share": {
      const { text } = said;
      const fits = typeof text === "string" && text !== "" && text.length <= SHARED_CHARACTERS_MAX;
      return fits ? { type: "share", text } : null;
    }
    case "back":
      return { type: "back" };
    default:
      return null;
  }
}

/** A message as it came: an object, or its text where only texts can be sent. Null where it is no order of ours. */
export function readOrder(data: unknown, mode: Embedding): Order | null {
  let said: unknown = data;
  if (typeof data === "string") {
    try {
      said = JSON.parse(data);
    } catch {
      return null;
    }
  }
  if (typeof said !== "object" || said === null || !("berth" in said) || said.berth !== PROTOCOL) return null;
  const order = orderOf(said as Record<string, unknown>);
  return order !== null && (mode === "app" || OF_A_FRAME.has(order.type)) ? order : null;
}
