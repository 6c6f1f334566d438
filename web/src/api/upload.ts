/** Sends bytes and tells how far they are. `fetch` cannot report progress of a body, so this is an XHR. */
import type { FilePlaced, UnfinishedUpload, Upload } from "../contracts.ts";
import { partOf, uploadsOf } from "./berth.ts";
import { ApiError, problemFrom, Unreachable } from "./http.ts";

/**
 * A connection on which nothing moves for so long is given up. Bytes that have left the browser may still be on
 * this machine: on a slow line they take minutes, about which the browser says nothing.
 */
const STALLED_MS = 120_000;
const ANSWER_MS = 300_000;

interface Sending {
  body: Blob;
  signal: AbortSignal;
  /** How many bytes of the body have left, as far as the browser knows. */
  progress: (bytes: number) => void;
}

function send<T>(
  method: string,
  path: string,
  type: string,
  { body, signal, progress }: Sending,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    const unreachable = () => reject(new Unreachable("upload"));
    let stalled: ReturnType<typeof setTimeout> | undefined;
    const within = (ms: number) => {
      clearTimeout(stalled);
      stalled = setTimeout(() => {
        unreachable();
        abort();
      }, ms);
    };
    signal.throwIfAborted();
    signal.addEventListener("abort", abort);
    request.open(method, path);
    request.setRequestHeader("Content-Type", type || "application/octet-stream");
    request.responseType = "json";
    request.upload.onprogress = (event) => {
      within(event.loaded < event.total ? STALLED_MS : ANSWER_MS);
      progress(event.loaded);
    };
    request.onload = () => {
      const answer: unknown = request.response;
      if (request.status >= 200 && request.status < 300) resolve(answer as T);
      else reject(new ApiError(request.status, problemFrom(request.status, answer)));
    };
    request.onerror = unreachable;
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => {
      clearTimeout(stalled);
      signal.removeEventListener("abort", abort);
    };
    within(STALLED_MS);
    request.send(body);
  });
}

export const uploadFile = (
  threadId: string,
  file: File,
  signal: AbortSignal,
  progress: (bytes: number) => void,
) => send<Upload>("POST", uploadsOf(threadId, file.name), file.type, { body: file, signal, progress });

/** A file put into the computer, at an address of `placeOfFile`. */
export const putFile = (address: string, file: File) =>
  send<FilePlaced>("PUT", address, "", {
    body: file,
    signal: new AbortController().signal,
    progress: () => {},
  });

export const uploadPart = (
  id: string,
  number: number,
  part: Blob,
  signal: AbortSignal,
  progress: (bytes: number) => void,
) => send<UnfinishedUpload>("PUT", partOf(id, number), "", { body: part, signal, progress });
