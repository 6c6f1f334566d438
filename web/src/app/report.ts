/**
 * What can be told of a failure of the page without telling anything that was said in it: where in the program it
 * happened, and in what kind of browser. An error's message is left out, since it may quote what it stumbled over.
 */

const PLACE = /\/(assets\/[\w.-]+\.js:\d+:\d+)/g;
const PLACES = 12;

/** The kind of page, without the ids and the questions in its address. */
export function kindOfPage(path: string): string {
  const [first = "", second] = path.split("/").slice(1);
  if (!/^(t|embed|settings|routines|share|usage)$/.test(first)) return "/";
  return `/${first}${second === undefined ? "" : "/…"}`;
}

export interface Circumstances {
  readonly version: string;
  readonly path: string;
  readonly agent: string;
  readonly language: string;
  readonly size: readonly [number, number];
}

/** A stack without the message that it begins with, which may look like a place itself. */
function placesOf({ stack = "", message }: Error): string {
  return message === "" ? stack : stack.split(message).slice(1).join("");
}

/** `error` is whatever was thrown. */
export function reportOf(error: unknown, circumstances: Circumstances): string {
  const { version, path, agent, language, size } = circumstances;
  const kinds = [TypeError, RangeError, ReferenceError, SyntaxError, DOMException, Error] as const;
  const kind = kinds.find((one) => error instanceof one)?.name ?? typeof error;
  const stack = error instanceof Error ? placesOf(error) : "";
  const places = [...stack.matchAll(PLACE)].slice(0, PLACES).map(([, place]) => `  at ${place}`);
  return [
    `Berth ${version}, ${kindOfPage(path)}, ${language}, ${size.join("x")}`,
    agent,
    kind,
    ...(places.length === 0 ? ["  at an unknown place"] : places),
  ].join("\n");
}
