/** The list above the composer: what it offers for what stands before the caret, and the keys that move in it. */
import { type KeyboardEvent, useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import { handlers, run } from "../app/commands.ts";
import { useText } from "../i18n/text.ts";
import { moved } from "../ui/Choices.tsx";
import { type Completed, completed, type Token, tokenAt, writtenPath } from "./completion.ts";
import { type FileName, filesFor } from "./mentions.ts";
import { type SlashCommand, slashCommands } from "./slash.ts";

export type Offer = SlashCommand | FileName;

export interface Completion {
  readonly kind: Token["kind"] | null;
  readonly offers: readonly Offer[];
  readonly active: number;
  point(index: number): void;
  choose(index: number): void;
  /** Whether the key was one of the list's. */
  press(event: KeyboardEvent): boolean;
}

interface Draft {
  readonly text: string;
  readonly caret: number;
  readonly manual: boolean;
  write: (next: Completed) => void;
}

const NONE: readonly Offer[] = [];

function useFiles(query: string | null): readonly FileName[] {
  const [known, setKnown] = useState<{ query: string; files: readonly FileName[] } | null>(null);
  useEffect(() => {
    if (query === null) return;
    let stale = false;
    void filesFor(query).then((files) => !stale && setKnown({ query, files }));
    return () => {
      stale = true;
    };
  }, [query]);
  // What fitted a moment ago stays until the answer is there, so that the list does not flicker.
  return query === null || known === null ? [] : known.files;
}

/** In the line of a command an `@` belongs to the command. */
function inCommand(text: string, caret: number): boolean {
  return text.slice(text.lastIndexOf("\n", caret - 1) + 1).startsWith("$");
}

export function useCompletion({ text, caret, manual, write }: Draft): Completion {
  const t = useText();
  const can = useStore(handlers);
  const [active, setActive] = useState(0);
  const [closed, setClosed] = useState<string | null>(null);
  const token = useMemo(() => {
    const found = tokenAt(text, caret);
    return found?.kind === "file" && manual && inCommand(text, caret) ? null : found;
  }, [text, caret, manual]);
  const place = token === null ? null : `${token.kind}:${token.from}:${token.query}`;
  const files = useFiles(token?.kind === "file" ? token.query : null);
  const offers = useMemo(() => {
    if (token === null || place === closed) return NONE;
    if (token.kind === "file") return files;
    return slashCommands(token.query, token.first, manual, can, t);
  }, [token, place, closed, files, manual, can, t]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is written is the reason to begin at the top
  useEffect(() => setActive(0), [place]);

  const choose = (index: number) => {
    const offer = offers[index];
    if (offer === undefined || token === null) return;
    if (offer.kind === "page") {
      write({ text: "", caret: 0 });
      return run(offer.id);
    }
    const by =
      offer.kind === "line"
        ? `/${offer.word} `
        : offer.kind === "folder"
          ? `@${offer.path}/`
          : `${writtenPath(offer.path)} `;
    write(completed(text, token, caret, by));
  };

  const press = (event: KeyboardEvent): boolean => {
    if (offers.length === 0 || event.nativeEvent.isComposing) return false;
    const next = moved(event.key, active, offers.length);
    const takes = (event.key === "Enter" && !event.shiftKey) || event.key === "Tab";
    // A line's word that is written out needs no choosing: Enter sends it.
    const whole = offers.some((one) => one.kind === "line" && one.word === token?.query);
    if (event.key === "Escape") setClosed(place);
    else if (next !== null) setActive(next);
    else if (takes && !(whole && event.key === "Enter")) choose(active);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };

  return { kind: token?.kind ?? null, offers, active, point: setActive, choose, press };
}
