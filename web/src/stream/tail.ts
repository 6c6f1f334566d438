/**
 * The end of a command's output, as far as a card shows it.
 *
 * Pieces are addressed by character offset. They may overlap what is there (a late joiner is sent the tail
 * again) or jump ahead (the server left some out to keep up); a jump is marked by a line of its own, since
 * text on both sides of it does not belong together.
 */
import { characterCount, withoutFirst } from "./characters.ts";

export const TAIL_LINES = 200;
export const TAIL_CHARACTERS = 64 * 1024;
export const JUMP_MARK = "⋯";

export interface Tail {
  readonly text: string;
  /** Offset just after the last character that arrived. */
  readonly end: number;
  /** Line ends that arrived; the true number only while nothing is missing. */
  readonly lines: number;
  /** Characters that never arrived. */
  readonly missing: number;
}

export const EMPTY_TAIL: Tail = { text: "", end: 0, lines: 0, missing: 0 };

export function extend(tail: Tail, offset: number, piece: string): Tail {
  const end = offset + characterCount(piece);
  if (end <= tail.end) return tail;
  const fresh = offset < tail.end ? withoutFirst(piece, tail.end - offset) : piece;
  const jump = Math.max(0, offset - tail.end);
  const before =
    jump > 0 && tail.text !== "" ? `${tail.text.replace(/\n?$/, "\n")}${JUMP_MARK}\n` : tail.text;
  return {
    text: trimmed(before + fresh),
    end,
    lines: tail.lines + lineEnds(fresh),
    missing: tail.missing + jump,
  };
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Cuts at a line's start where there is one, so that no escape sequence or character is torn. */
function trimmed(text: string): string {
  let from = text.length;
  for (let line = 0; line <= TAIL_LINES && from > 0; line++) from = text.lastIndexOf("\n", from - 1);
  let start = from > 0 ? from + 1 : 0;
  if (text.length - start > TAIL_CHARACTERS) {
    const cut = text.length - TAIL_CHARACTERS;
    const next = text.indexOf("\n", cut);
    start = next >= 0 && next < text.length - 1 ? next + 1 : cut;
  }
  return start === 0 ? text : text.slice(start);
}
