/**
 * Whether this page is the one that its server gives now. A page names its parts by what is in them, so two builds
 * never name the same ones, and asking for the document is all it takes to know.
 *
 * A page that comes from the service worker (`data-kept`) may be of any age: it asks nothing of the API before it
 * knows. One that is open for long looks now and then, and says when there is a newer one.
 */
import { createStore } from "zustand/vanilla";
import { pause, resume } from "../api/http.ts";
import { reloadOnce } from "./reload.ts";

export type Standing = "same" | "other" | "unreachable";

const AGAIN_MS = 5_000;
const LOOK_MS = 5 * 60_000;

const partsOf = (html: string): string => [...new Set(html.match(/\/assets\/[\w.-]+/g))].sort().join(" ");

/** Taken before anything is loaded on demand, which the document would name too. */
const own = partsOf(document.head.innerHTML);

export const build = createStore<{ readonly outdated: boolean }>(() => ({ outdated: false }));

export const isKept = (): boolean => document.documentElement.dataset.kept !== undefined;

export async function standing(): Promise<Standing> {
  try {
    const answer = await fetch("/", { cache: "no-store" });
    if (!answer.ok) return "unreachable";
    return partsOf(await answer.text()) === own ? "same" : "other";
  } catch (reason) {
    if (reason instanceof TypeError) return "unreachable";
    throw reason;
  }
}

/** Goes on with `begin` at once, or for a kept page as soon as the server is known to have the same one. */
export async function whenCurrent(begin: () => void): Promise<void> {
  if (!isKept()) return begin();
  pause();
  for (;;) {
    const found = await standing();
    if (found === "same") break;
    if (found === "other") reloadOnce();
    await moment();
  }
  resume();
  begin();
}

/** A while, or until the network is back. */
function moment(): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      window.removeEventListener("online", over);
      resolve();
    };
    const timer = setTimeout(over, AGAIN_MS);
    window.addEventListener("online", over);
  });
}

/** Says so when a newer page is there: looked for when somebody comes back to a page that was open for a while. */
export function watchBuild(): void {
  let looked = Date.now();
  const look = async () => {
    if (document.visibilityState === "hidden" || Date.now() - looked < LOOK_MS) return;
    looked = Date.now();
    if ((await standing()) === "other") build.setState({ outdated: true });
  };
  document.addEventListener("visibilitychange", () => void look());
  window.addEventListener("online", () => void look());
}
