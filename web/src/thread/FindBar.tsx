/** Searching in the thread that is open: how many cards have the words, and the way from one to the next. */
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useSentences } from "../i18n/reasons/use-sentences.ts";
import { useText } from "../i18n/text.ts";
import type { ThreadSession } from "../stream/thread-session.ts";
import { Button } from "../ui/Button.tsx";
import { withText } from "./card-text.ts";
import css from "./FindBar.module.css";
import { useMarkedWords } from "./use-marked-words.ts";

interface FindBarProps {
  session: ThreadSession;
  order: readonly string[];
  rows: RefObject<HTMLElement | null>;
  /** Puts a card in view and marks it; null takes the mark away. */
  show: (key: string | null) => void;
  close: () => void;
}

const QUERY_MAX = 200;
const NONE = {};

export default function FindBar({ session, order, rows, show, close }: FindBarProps) {
  const t = useText();
  const sentences = useSentences() ?? NONE;
  const field = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState("");
  const [current, setCurrent] = useState<string | null>(null);
  const found = useMemo(
    () => withText(order, (key) => session.store.card(key), query, sentences),
    [order, session, query, sentences],
  );
  useMarkedWords(rows, query);

  useEffect(() => field.current?.focus(), []);
  useEffect(() => () => show(null), [show]);

  const go = (key: string | null) => {
    setCurrent(key);
    show(key);
  };
  const at = current === null ? -1 : found.indexOf(current);
  const step = (by: 1 | -1) => {
    if (found.length > 0) go(found[(at + by + found.length) % found.length] ?? null);
  };
  const type = (next: string) => {
    setQuery(next);
    // The newest first: that is where the reader is.
    go(withText(order, (key) => session.store.card(key), next, sentences).at(-1) ?? null);
  };

  return (
    <search className={css.find}>
      <input
        ref={field}
        type="text"
        aria-label={t.pageCommands.find}
        placeholder={t.pageCommands.find}
        value={query}
        maxLength={QUERY_MAX}
        autoComplete="off"
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Escape") close();
          else if (event.key === "Enter") step(event.shiftKey ? 1 : -1);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span className={css.count} role="status">
        {query.trim() === "" ? "" : t.findCount(found.length === 0 ? 0 : at + 1, found.length)}
      </span>
      <Button
        icon
        look="quiet"
        aria-label={t.findPrevious}
        disabled={found.length === 0}
        onClick={() => step(-1)}
      >
        <ChevronUp size={17} aria-hidden="true" />
      </Button>
      <Button icon look="quiet" aria-label={t.findNext} disabled={found.length === 0} onClick={() => step(1)}>
        <ChevronDown size={17} aria-hidden="true" />
      </Button>
      <Button icon look="quiet" aria-label={t.close} onClick={close}>
        <X size={17} aria-hidden="true" />
      </Button>
    </search>
  );
}
