/**
 * A large file on its way in parts. Trouble on the way is waited out for as long as it takes, and then it goes
 * on with the part that was reached; only a refusal ends it. Begun earlier (`known`), it goes on where it was.
 */
import { ApiError, mayPass } from "../api/http.ts";
import type { UnfinishedUpload, Upload, UploadBegin } from "../contracts.ts";

export interface PartsPorts {
  begin(threadId: string, about: UploadBegin): Promise<UnfinishedUpload>;
  state(id: string): Promise<UnfinishedUpload>;
  part(
    id: string,
    number: number,
    bytes: Blob,
    signal: AbortSignal,
    progress: (bytes: number) => void,
  ): Promise<UnfinishedUpload>;
  finish(id: string): Promise<Upload>;
  giveUp(id: string): Promise<void>;
  /** Resolves after this time, or earlier when the network is back or the signal is aborted. */
  pause(ms: number, signal: AbortSignal | null): Promise<void>;
  random(): number;
}

export interface PartsHooks {
  /** The server has these bytes for good, under this id. */
  reached(id: string, bytes: number): void;
  moved(bytes: number): void;
  waiting(is: boolean): void;
}

const RETRY_FIRST_MS = 1_000;
const RETRY_MOST_MS = 15_000;
const NOT_FOUND = 404;
/** An error of the server is not waited out for ever, as a network is. */
const SERVER_ERRORS_MOST = 8;
/** How often parts that do not fit together are sent anew, and an upload that has ended is begun anew. */
const ANEW_MOST = 2;

const isGone = (reason: unknown) => reason instanceof ApiError && reason.status === NOT_FOUND;

/** The file was changed or removed after it was chosen: the browser does not give its bytes any more. */
export class Unreadable extends Error {}

async function readable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (reason) {
    if (reason instanceof DOMException) throw new Unreadable(reason.message);
    throw reason;
  }
}

/** Tries again until it is done or refused. */
async function persist<T>(
  ports: Pick<PartsPorts, "pause" | "random">,
  action: () => Promise<T>,
  signal: AbortSignal | null,
  waiting: (is: boolean) => void,
): Promise<T> {
  let answers = 0;
  for (let tries = 0; ; tries++) {
    signal?.throwIfAborted();
    try {
      const done = await action();
      waiting(false);
      return done;
    } catch (reason) {
      signal?.throwIfAborted();
      if (!mayPass(reason)) throw reason;
      if (reason instanceof ApiError && ++answers > SERVER_ERRORS_MOST) throw reason;
      waiting(true);
      const most = Math.min(RETRY_MOST_MS, RETRY_FIRST_MS * 2 ** tries);
      await ports.pause(most / 2 + (ports.random() * most) / 2, signal);
    }
  }
}

/** Gives an upload up on the server, however long that takes to get through. */
export async function giveUp(ports: PartsPorts, id: string): Promise<void> {
  try {
    await persist(
      ports,
      () => ports.giveUp(id),
      null,
      () => {},
    );
  } catch (reason) {
    // It is not there any more; or the server has trouble, and it ends by its time.
    if (!(reason instanceof ApiError)) throw reason;
  }
}

export async function sendInParts(
  ports: PartsPorts,
  threadId: string,
  file: File,
  known: string | null,
  signal: AbortSignal,
  hooks: PartsHooks,
): Promise<Upload> {
  let safe = 0;
  const waiting = (is: boolean) => {
    // What was on its way counts for nothing when it has to be sent again.
    if (is) hooks.moved(safe);
    hooks.waiting(is);
  };
  const trying = <T>(action: () => Promise<T>) => persist(ports, action, signal, waiting);
  const about = { name: file.name, media_type: file.type, size: file.size };
  let id = known;

  const begin = async () => {
    // Not aborted on its way: without the answer nobody could give it up.
    const state = await trying(() => ports.begin(threadId, about));
    id = state.id;
    return state;
  };

  const fill = async (state: UnfinishedUpload) => {
    const { part_bytes: partBytes } = state;
    const piece = (number: number) => file.slice((number - 1) * partBytes, number * partBytes);
    const there = new Set(state.parts);
    const reached = () => {
      safe = [...there].reduce((sum, number) => sum + piece(number).size, 0);
      hooks.reached(state.id, safe);
    };
    reached();
    for (let number = 1; number <= Math.ceil(file.size / partBytes); number++) {
      if (there.has(number)) continue;
      await trying(async () => {
        // To the browser's network a file that has changed looks like a broken connection.
        await readable(file);
        return ports.part(state.id, number, piece(number), signal, (sent) => {
          hooks.waiting(false);
          hooks.moved(safe + sent);
        });
      });
      there.add(number);
      reached();
    }
  };

  const goOn = async (): Promise<Upload> => {
    let state = id === null ? await begin() : await trying(() => ports.state(id as string));
    for (let anew = 0; ; anew++) {
      await fill(state);
      try {
        return await trying(() => ports.finish(state.id));
      } catch (reason) {
        if (!(reason instanceof ApiError) || reason.problem.details?.missing === undefined) throw reason;
        if (anew === ANEW_MOST) throw reason;
        state = await trying(() => ports.state(state.id));
      }
    }
  };

  try {
    for (let anew = 0; ; anew++) {
      try {
        return await goOn();
      } catch (reason) {
        if (!isGone(reason) || id === null || anew === ANEW_MOST) throw reason;
        id = null;
      }
    }
  } finally {
    if (signal.aborted && id !== null) void giveUp(ports, id);
  }
}
