/**
 * Asking a command or a run to stop, as three states that a person can tell apart: asked, confirmed, could not.
 *
 * Confirmed is never set here: only the thread's record says that something has ended. A request is not sent
 * twice by itself; the person sees that it had no effect and asks again.
 */
import { createStore } from "zustand/vanilla";
import * as berth from "../api/berth.ts";
import { problemOf } from "../api/http.ts";

export type StopState = "asked" | "could-not";

export const stops = createStore<Readonly<Record<string, StopState>>>(() => ({}));

const PATIENCE_MS = 10_000;

function set(id: string, state: StopState): void {
  stops.setState({ [id]: state });
}

async function askTo(id: string, stop: () => Promise<unknown>): Promise<void> {
  set(id, "asked");
  try {
    await stop();
  } catch (reason) {
    problemOf(reason);
    return set(id, "could-not");
  }
  // What has ended by then is not shown as running any more, whatever is noted here.
  setTimeout(() => set(id, "could-not"), PATIENCE_MS);
}

export const stopCommand = (id: string) => askTo(id, () => berth.stopCommand(id));
export const stopRun = (id: string) => askTo(id, () => berth.stopRun(id));
