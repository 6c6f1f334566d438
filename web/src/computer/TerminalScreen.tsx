/** One command's output in a terminal of its own, so that no other can write over it, with a search. */
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { problemOf } from "../api/http.ts";
import type { ShownCommand } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { count, visibleOutput } from "../ui/format.ts";
import { CommandFeed, type Source } from "./command-feed.ts";
import { feedPorts } from "./feed-ports.ts";
import { type MadeTerminal, makeTerminal, themeNow } from "./make-terminal.ts";
import css from "./TerminalTab.module.css";
import { openUnderPolicy } from "./terminal-document.ts";

const MATCHES = {
  matchBackground: "#6b5320",
  matchOverviewRuler: "#b58a2e",
  activeMatchBackground: "#8a5a00",
  activeMatchColorOverviewRuler: "#f3bf5b",
};

interface TerminalScreenProps {
  command: ShownCommand;
  label: string;
  searching: boolean;
  closeSearch: () => void;
  told: (source: Source) => void;
}

function open(made: MadeTerminal, box: HTMLElement, label: string): () => void {
  const { terminal, fit } = made;
  openUnderPolicy(terminal, box);
  terminal.textarea?.setAttribute("aria-label", label);
  // Whoever goes there by keyboard may be listening.
  const read = () => {
    terminal.options.screenReaderMode = true;
  };
  terminal.textarea?.addEventListener("focus", read, { once: true });
  fit.fit();
  const size = new ResizeObserver(() => box.clientWidth > 0 && fit.fit());
  size.observe(box);
  const theme = new MutationObserver(() => {
    terminal.options.theme = themeNow();
  });
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    size.disconnect();
    theme.disconnect();
    terminal.dispose();
  };
}

export default function TerminalScreen({
  command,
  label,
  searching,
  closeSearch,
  told,
}: TerminalScreenProps) {
  const box = useRef<HTMLDivElement>(null);
  const [made, setMade] = useState<MadeTerminal | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a screen is of one command for as long as it is there
  useEffect(() => {
    if (box.current === null) return;
    const now = makeTerminal();
    const close = open(now, box.current, label);
    const sink = {
      write: (text: string) =>
        new Promise<void>((resolve) => now.terminal.write(visibleOutput(text), resolve)),
      reset: () => now.terminal.reset(),
    };
    const feed = new CommandFeed(command, sink, feedPorts, told);
    feed.start().catch((reason: unknown) => {
      // A log that broke off says so as its source.
      if (!(reason instanceof TypeError)) problemOf(reason);
    });
    setMade(now);
    return () => {
      feed.stop();
      close();
    };
  }, [command.id]);

  return (
    <>
      {searching && made !== null && <Search made={made} close={closeSearch} />}
      <div ref={box} className={css.screen} data-terminal={command.id} />
    </>
  );
}

function Search({ made, close }: { made: MadeTerminal; close: () => void }) {
  const { text: t, locale } = useLanguage();
  const { search, terminal } = made;
  const [query, setQuery] = useState("");
  const [found, setFound] = useState({ resultIndex: -1, resultCount: 0 });

  useEffect(() => {
    const listening = search.onDidChangeResults(setFound);
    return () => {
      listening.dispose();
      search.clearDecorations();
    };
  }, [search]);

  const go = (how: "findNext" | "findPrevious", text = query, incremental = false) =>
    search[how](text, { incremental, decorations: MATCHES });
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") go(event.shiftKey ? "findPrevious" : "findNext");
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
    terminal.focus();
  };
  const place =
    found.resultCount === 0
      ? "0"
      : `${count(found.resultIndex + 1, locale)} / ${count(found.resultCount, locale)}`;
  return (
    <div className={css.search} role="group" aria-label={t.searchOutput}>
      <input
        // biome-ignore lint/a11y/noAutofocus: whoever opens a search is about to write
        autoFocus
        value={query}
        aria-label={t.searchOutput}
        placeholder={t.searchOutput}
        spellCheck={false}
        onKeyDown={press}
        onChange={(event) => {
          setQuery(event.target.value);
          if (event.target.value === "") search.clearDecorations();
          else go("findNext", event.target.value, true);
        }}
      />
      <span role="status">{query === "" ? "" : place}</span>
      <Button icon look="quiet" aria-label={t.previousMatch} onClick={() => go("findPrevious")}>
        <ChevronUp size={15} aria-hidden="true" />
      </Button>
      <Button icon look="quiet" aria-label={t.nextMatch} onClick={() => go("findNext")}>
        <ChevronDown size={15} aria-hidden="true" />
      </Button>
      <Button icon look="quiet" aria-label={t.closeSearch} onClick={close}>
        <X size={15} aria-hidden="true" />
      </Button>
    </div>
  );
}
