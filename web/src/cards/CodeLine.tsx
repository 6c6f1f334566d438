/** One line of source text. */
import { visibleOutput } from "../ui/format.ts";
import css from "./Code.module.css";
import type { CodePiece } from "./code-lines.ts";

export function CodeLine({ text, pieces }: { text: string; pieces: readonly CodePiece[] | null }) {
  if (pieces === null) return visibleOutput(text);
  return pieces.map(({ text: part, kind }, index) =>
    kind === null ? (
      visibleOutput(part)
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
      <span key={index} className={css[kind]}>
        {visibleOutput(part)}
      </span>
    ),
  );
}
