/** The commands of this computer across all threads, running and past, and the output of one of them. Read only. */

import { Download, MessageSquare, Search } from "lucide-react";
import { lazy, useState } from "react";
import { Link } from "wouter";
import { fileContent } from "../api/berth.ts";
import { useInTouch, useLiveNow } from "../app/contact.ts";
import { stopCommand } from "../app/stops.ts";
import { Problem } from "../cards/Problem.tsx";
import { StopButton } from "../cards/StopButton.tsx";
import { TerminalNotes } from "../cards/TerminalNotes.tsx";
import { standing } from "../cards/terminal-state.ts";
import type { Computer, ShownCommand } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import type { TerminalCard } from "../stream/cards.ts";
import { EMPTY_TAIL } from "../stream/tail.ts";
import { Button } from "../ui/Button.tsx";
import { Chip, ToneIcon } from "../ui/Chip.tsx";
import { moment, visible, visibleText } from "../ui/format.ts";
import { LazyPart } from "../ui/LazyPart.tsx";
import type { Source } from "./command-feed.ts";
import { useCommands } from "./command-list.ts";
import { logPath } from "./feed-ports.ts";
import type { Panel } from "./panel-address.ts";
import css from "./TerminalTab.module.css";

const TerminalScreen = lazy(() => import("./TerminalScreen.tsx"));

/** A command as a card has it, so that both say the same of it. */
export function cardOf(command: ShownCommand): TerminalCard {
  const { id, started_ms, finished_ms = null, result = null, error = null } = command;
  return {
    ...{ kind: "terminal", key: id, at: started_ms, runId: "", command: command.command },
    ...{ startedMs: started_ms, finishedMs: finished_ms, ok: error === null, problem: error, text: "" },
    ...{ abandoned: command.over && finished_ms === null, tail: EMPTY_TAIL, result },
  };
}

const firstLine = (command: string) => command.trim().split("\n")[0] ?? "";

interface RowProps {
  command: ShownCommand;
  chosen: boolean;
  choose: () => void;
}

function Row({ command, chosen, choose }: RowProps) {
  const { text: t, locale } = useLanguage();
  const runs = command.finished_ms === null && !command.over;
  const now = useLiveNow(runs);
  const { tone, word } = standing(cardOf(command), now, t, useInTouch());
  return (
    <li>
      <button type="button" className={css.row} aria-current={chosen || undefined} onClick={choose}>
        <span className={css.tone} data-tone={tone} title={word}>
          <ToneIcon tone={tone} />
          <span className="aside-visually">{word}</span>
        </span>
        <code>{visible(firstLine(command.command))}</code>
        <small>{moment(command.started_ms, now, locale)}</small>
      </button>
    </li>
  );
}

interface ViewProps {
  command: ShownCommand;
  live: boolean;
  ended: () => void;
}

function sourceWords(source: Source, t: ReturnType<typeof useLanguage>["text"]): string | null {
  return { coming: t.loading, live: null, log: null, kept: t.outputKept, failed: t.outputFailed }[source];
}

function CommandView({ command, live, ended }: ViewProps) {
  const { text: t } = useLanguage();
  const card = cardOf(command);
  const now = useLiveNow(card.finishedMs === null && !card.abandoned);
  const { tone, word, over } = standing(card, now, t, useInTouch());
  const [source, setSource] = useState<Source>("coming");
  const [searching, setSearching] = useState(false);
  const [whole, setWhole] = useState(false);
  const label = `${t.commandOutput} ${visible(firstLine(command.command)).slice(0, 60)}`;
  const note = sourceWords(source, t);
  return (
    <section className={css.view} aria-label={label}>
      <div className={css.head}>
        <button type="button" aria-expanded={whole} title={t.showCommand} onClick={() => setWhole(!whole)}>
          <code>{whole ? visibleText(command.command) : visible(firstLine(command.command))}</code>
        </button>
        <div className={css.actions}>
          <Chip tone={tone}>{word}</Chip>
          {!over && <StopButton id={command.id} stop={stopCommand} label={t.stop} />}
          <span className={css.rest} />
          <Button icon look="quiet" aria-label={t.searchOutput} onClick={() => setSearching(!searching)}>
            <Search size={15} aria-hidden="true" />
          </Button>
          {live && source === "log" && (
            <a
              className={css.action}
              href={fileContent(logPath(command))}
              download
              title={t.downloadLog}
              aria-label={t.downloadLog}
            >
              <Download size={15} aria-hidden="true" />
            </a>
          )}
          <Link
            className={css.action}
            href={`/t/${command.thread_id}?at=${command.id}`}
            title={t.toThread(command.title)}
            aria-label={t.toThread(command.title)}
          >
            <MessageSquare size={15} aria-hidden="true" />
          </Link>
        </div>
      </div>
      {note !== null && (
        <p className={css.note} role="status">
          {note}
        </p>
      )}
      {command.error ? (
        <Problem problem={command.error} />
      ) : (
        <LazyPart fallback={<p className={css.note}>{t.loading}</p>}>
          <TerminalScreen
            command={command}
            label={label}
            searching={searching}
            closeSearch={() => setSearching(false)}
            told={(now) => {
              setSource(now);
              if (now === "log" || now === "kept") ended();
            }}
          />
        </LazyPart>
      )}
      <TerminalNotes card={card} />
    </section>
  );
}

export default function TerminalTab({ computer, panel }: { computer: Computer; panel: Panel }) {
  const { text: t } = useLanguage();
  const busy = (computer.commands ?? []).length > 0;
  const { items, more, problem, refresh, older } = useCommands(busy);
  const named = panel.place.get("command");
  // What runs is what somebody wants to see; the one that was chosen stays.
  const shown = items?.find(({ id }) => id === named) ?? (named === null ? items?.[0] : undefined);
  if (items === null) {
    return problem === null ? (
      <p className={css.note} role="status">
        {t.loading}
      </p>
    ) : (
      <Problem problem={problem}>
        <Button onClick={refresh}>{t.retry}</Button>
      </Problem>
    );
  }
  if (items.length === 0) return <p className={css.empty}>{t.noCommands}</p>;
  return (
    <div className={css.tab}>
      <ul className={css.list} aria-label={t.commands}>
        {items.map((command) => (
          <Row
            key={command.id}
            command={command}
            chosen={command.id === shown?.id}
            choose={() => panel.show("terminal", { command: command.id })}
          />
        ))}
        {more && (
          <li>
            <Button look="quiet" onClick={older}>
              {t.showMore}
            </Button>
          </li>
        )}
      </ul>
      {shown === undefined ? (
        <p className={css.empty}>{t.commandGone}</p>
      ) : (
        <CommandView key={shown.id} command={shown} live={computer.state === "running"} ended={refresh} />
      )}
    </div>
  );
}
