/** The newest event of the open thread, for what speaks of it without showing it. */
import { createStore } from "zustand/vanilla";
import type { ThreadEvent } from "../stream/frames.ts";

export const news = createStore<{ readonly event: ThreadEvent | null }>(() => ({ event: null }));
