/**
 * What stands before the caret and asks for a list: `/` begins a command, `@` names a file. Text in, text out; the
 * list itself and its keys are elsewhere.
 */

export type Token =
  /** `first`: it is all that is written so far, so it may be a command of the page. */
  | { readonly kind: "command"; readonly from: number; readonly query: string; readonly first: boolean }
  | { readonly kind: "file"; readonly from: number; readonly query: string };

const QUERY_MAX = 200;

/** The token that ends at the caret, if there is one. */
export function tokenAt(text: string, caret: number): Token | null {
  const before = text.slice(0, caret);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  if (/^\/\S*$/.test(line) && line.length <= QUERY_MAX) {
    const from = caret - line.length;
    return { kind: "command", from, query: line.slice(1), first: from === 0 && text.length === caret };
  }
  const file = /(?:^|[\s(（，。、：])@([^\s@]*)$/.exec(line)?.[1];
  if (file === undefined || file.length > QUERY_MAX) return null;
  return { kind: "file", from: caret - file.length - 1, query: file };
}

export interface Completed {
  readonly text: string;
  readonly caret: number;
}

/** The text with the token replaced. */
export function completed(text: string, token: Token, caret: number, by: string): Completed {
  return { text: text.slice(0, token.from) + by + text.slice(caret), caret: token.from + by.length };
}

/** The folder that a query looks into, relative to the workspace, and how the name there begins. */
export function splitPath(query: string): { readonly folder: string; readonly name: string } {
  const at = query.lastIndexOf("/");
  return { folder: query.slice(0, Math.max(at, 0)), name: query.slice(at + 1) };
}

/** A path as it stands in a message: one with blanks in marks, so that it is seen to be one. */
export const writtenPath = (path: string): string => (/\s/.test(path) ? `\`${path}\`` : path);
