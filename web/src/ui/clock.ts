/** One second hand for everything on the page that shows a running time. */
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

const idle = () => () => {};

/** The time, each second while `ticking`; otherwise as it was. */
export function useNow(ticking: boolean): number {
  return useSyncExternalStore(ticking ? subscribe : idle, () => now);
}
