/**
 * How the page is held: by itself in a browser, by a native app that brings a frame of its own (`?embed=app`), or in a
 * frame of another page (`/embed/…`), where it only shows. It is decided once, when the page starts.
 */
import { ofThisTab } from "../app/storage.ts";

export type Embedding = "none" | "app" | "frame";

const MARK = "berth.embed";

/** The base of the addresses of views in a frame: nothing else of Berth can be framed. */
export const FRAME_BASE = "/embed";

function find(): Embedding {
  // Rules are tested where there is no page.
  if (typeof location === "undefined") return "none";
  if (location.pathname.startsWith(`${FRAME_BASE}/`)) return "frame";
  const asked = new URLSearchParams(location.search).get("embed");
  if (asked === "app") ofThisTab.set(MARK, asked);
  // What follows in the same tab has not the same address, and is held as before.
  return ofThisTab.get(MARK) === "app" ? "app" : "none";
}

export const embedding = find();

/** Whether nothing can be done here but look: whoever frames the page could lead a click astray. */
export const showsOnly = embedding === "frame";
