/** Whether somebody is signed in, as far as the page knows: the server says so with every answer. */
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { signOut } from "../api/sign-in.ts";
import { directory, refresh } from "../app/directory.ts";
import { forgetAllContent } from "../app/keeping.ts";

/** `finishing`: they are, and there is something to keep or to do before they go on. */
export const standing = createStore<{ readonly finishing: boolean }>(() => ({ finishing: false }));

export const PATHS: readonly string[] = ["/sign-in", "/sign-up"];

export function useOutside(): boolean {
  const finishing = useStore(standing, (all) => all.finishing);
  const refused = useStore(
    directory,
    ({ trouble }) => trouble !== null && trouble !== "unreachable" && trouble.code === "unauthenticated",
  );
  return finishing || refused;
}

export const stay = () => standing.setState({ finishing: true });

/** Nothing of theirs stays in this browser, nor on the page: it is loaded anew, and asks who is there. */
export async function leave(): Promise<void> {
  await signOut();
  forgetAllContent();
  location.assign("/");
}

export async function goIn(): Promise<void> {
  await refresh();
  standing.setState({ finishing: false });
}
