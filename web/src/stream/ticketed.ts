/**
 * A socket that asks for its ticket first: with one, the server knows that this page opens it and no other.
 *
 * From outside it is a socket like any other that takes a little longer to open; without a ticket it closes.
 */
import type { Socket } from "./connection.ts";

/**
 * `ticketFor(path)` rejects where there is none to be had, and `codeOf(reason)` is what the socket closes with then;
 * `dial(url)` opens the socket itself.
 */
export function ticketedSocket(
  url: string,
  ticketFor: (path: string) => Promise<string>,
  dial: (url: string) => Socket,
  codeOf: (reason: unknown) => number,
): Socket {
  let inner: Socket | null = null;
  let closed = false;
  const outer: Socket = {
    onopen: null,
    onmessage: null,
    onclose: null,
    send: (text) => inner?.send(text),
    close: () => {
      closed = true;
      inner?.close();
    },
  };
  const [path = "", query] = url.split("?");
  ticketFor(path).then(
    (ticket) => {
      if (closed) return;
      inner = dial(`${path}?${query === undefined ? "" : `${query}&`}ticket=${encodeURIComponent(ticket)}`);
      inner.onopen = () => outer.onopen?.();
      inner.onmessage = (event) => outer.onmessage?.(event);
      inner.onclose = (event) => outer.onclose?.(event);
    },
    (reason: unknown) => {
      if (!closed) outer.onclose?.({ code: codeOf(reason) });
    },
  );
  return outer;
}
