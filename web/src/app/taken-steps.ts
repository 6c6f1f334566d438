/**
 * Which of the first steps were taken: what is left is offered until it is done or waved away. The owner's record has
 * them, so another browser offers the same; this one remembers them too, for an answer that has not come.
 */
import { createStore } from "zustand/vanilla";
import * as berth from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { workspaceId } from "../api/whose.ts";
import type { FirstStep } from "../contracts.ts";
import { STEPS } from "../thread/first-steps.ts";
import { directory } from "./directory.ts";
import { forgetful } from "./storage.ts";

const KEY = "berth.steps";
const WAVED_AWAY = "none";

/** The last one sends nothing: it is to have seen where the settings are. */
const ALL: readonly FirstStep[] = [...STEPS, "settings"];

/** What `berth.steps` says: the names of the steps, or that nobody wants them. Whatever else is there is passed over. */
export function takenIn(stored: string | null): readonly FirstStep[] {
  const words = (stored ?? "").split(" ");
  return words.includes(WAVED_AWAY) ? ALL : ALL.filter((step) => words.includes(step));
}

export const takenSteps = createStore<{ readonly taken: readonly FirstStep[] }>(() => ({
  taken: takenIn(forgetful.get(KEY)),
}));

/** What is left to try, of what was begun; nothing where nothing was. */
export const leftOf = (taken: readonly FirstStep[]): readonly FirstStep[] =>
  taken.length === 0 ? [] : ALL.filter((step) => !taken.includes(step));

function add(steps: readonly FirstStep[]): void {
  const { taken } = takenSteps.getState();
  if (steps.every((step) => taken.includes(step))) return;
  const now = ALL.filter((step) => taken.includes(step) || steps.includes(step));
  forgetful.set(KEY, now.join(" "));
  takenSteps.setState({ taken: now });
}

/** In a workspace of several people they are this browser's. */
function tell(steps: readonly FirstStep[]): void {
  if (workspaceId !== null || directory.getState().owner === null) return;
  berth.changeOwner({ first_steps: [...steps] }).then(
    (owner) => directory.setState({ owner }),
    // It is told with the next page.
    (reason: unknown) => problemOf(reason),
  );
}

export function noteStep(step: FirstStep): void {
  if (takenSteps.getState().taken.includes(step)) return;
  add([step]);
  tell([step]);
}

export function waveAway(): void {
  add(ALL);
  tell(ALL);
}

/** Takes over what the owner's record says, and tells it once what it does not know of this browser. */
export function followSteps(): void {
  let told = workspaceId !== null;
  directory.subscribe(({ owner, trouble }, before) => {
    if (owner === null || owner === before.owner || trouble !== null || workspaceId !== null) return;
    const known = owner.first_steps ?? [];
    const missing = takenSteps.getState().taken.filter((step) => !known.includes(step));
    add(known);
    if (told) return;
    told = true;
    if (missing.length > 0) tell(missing);
  });
}
