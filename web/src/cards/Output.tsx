/**
 * Terminal text. `live` keeps a fixed height so that nothing below it jumps; otherwise the box is as tall as
 * its lines, up to a height at which it scrolls by itself and stays at its end while that is in view.
 */

import clsx from "clsx";
import { type CSSProperties, memo, useLayoutEffect, useRef } from "react";
import { type Piece, pieces } from "../ui/ansi.ts";
import { visibleOutput } from "../ui/format.ts";
import css from "./Output.module.css";

const NEAR_END = 24;

function Span({ piece }: { piece: Piece }) {
  const names = piece.names.map((name) => css[name]);
  if (names.length === 0 && piece.colour === null && piece.background === null)
    return visibleOutput(piece.text);
  const style: Record<string, string> = {};
  if (piece.colour !== null) style["--own"] = `rgb(${piece.colour})`;
  if (piece.background !== null) style["--own-back"] = `rgb(${piece.background})`;
  return (
    <span
      className={clsx(
        names,
        piece.colour !== null && css["own-colour"],
        piece.background !== null && css["own-background"],
      )}
      style={style as CSSProperties}
    >
      {visibleOutput(piece.text)}
    </span>
  );
}

/** A box that scrolls must be reachable by keyboard. */
export function scrollable(label: string) {
  return { tabIndex: 0, role: "group", "aria-label": label };
}

export interface OutputProps {
  lines: readonly string[];
  label: string;
  /** Number of lines of the fixed height, for a command that is running. */
  live?: number;
  tall?: boolean;
}

export const Output = memo(function Output({ lines, label, live, tall = false }: OutputProps) {
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  const text = lines.join("\n");

  // biome-ignore lint/correctness/useExhaustiveDependencies: the box grows when the text does
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && tall && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [text, tall]);

  return (
    <pre
      ref={box}
      className={clsx(css.output, live !== undefined && css.live, tall && css.tall)}
      style={live === undefined ? undefined : ({ "--lines": live } as CSSProperties)}
      {...(tall ? scrollable(label) : {})}
      onScroll={(event) => {
        const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
        atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
      }}
    >
      <code className={css.text}>
        {pieces(text).map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
          <Span key={index} piece={piece} />
        ))}
      </code>
    </pre>
  );
});
