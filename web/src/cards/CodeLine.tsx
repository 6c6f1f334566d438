/** One line of source text. */
import css from "./Code.module.css";
import type { CodePiece } from "./code-lines.ts";

export function CodeLine({ text, pieces }: { text: string; pieces: readonly CodePiece[] | null }) {
  if (pieces === null) return text;
  return pieces.map(({ text: part, kind }, index) =>
    kind === null ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
      <span key={index} className={css[kind]}>
        {part}
      </span>
    ),
  );
}
