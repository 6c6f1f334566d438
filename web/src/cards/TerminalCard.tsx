/**
 * A command in the computer: what runs, how it stands, its output as it comes, and how to stop it.
 *
 * While it runs its height is fixed, so nothing jumps; when it has ended it shrinks to what it has to say.
 */
import { ChevronDown, ChevronUp, SquareTerminal } from "lucide-react";
import { useMemo } from "react";
import { useInTouch, useLiveNow } from "../app/contact.ts";
import { stopCommand } from "../app/stops.ts";
import { useLanguage } from "../i18n/text.ts";
import type { TerminalCard as TerminalRecord } from "../stream/cards.ts";
import { settledLines, withoutColours } from "../ui/ansi.ts";
import { Button } from "../ui/Button.tsx";
import { Chip } from "../ui/Chip.tsx";
import { count, took, visible, visibleText } from "../ui/format.ts";
import { useKept } from "../ui/kept.ts";
import card from "./Card.module.css";
import { CopyButton } from "./CopyButton.tsx";
import { ExpandCommand } from "./ExpandButton.tsx";
import { Output } from "./Output.tsx";
import { Problem } from "./Problem.tsx";
import { StopButton } from "./StopButton.tsx";
import css from "./TerminalCard.module.css";
import { TerminalNotes } from "./TerminalNotes.tsx";
import { standing } from "./terminal-state.ts";

const LIVE_LINES = 8;
const SETTLED_LINES = 12;

function textOf(record: TerminalRecord): string {
  return record.result?.output || record.tail.text;
}

function Head({ record, open, toggle }: { record: TerminalRecord; open: boolean; toggle: () => void }) {
  const { text: t } = useLanguage();
  const now = useLiveNow(record.finishedMs === null && !record.abandoned);
  const { tone, word, over } = standing(record, now, t, useInTouch());
  const [first = "", ...rest] = record.command.trim().split("\n");
  return (
    <div className={card.head}>
      <SquareTerminal size={16} aria-hidden="true" />
      <button
        type="button"
        className={css.command}
        title={t.showCommand}
        aria-expanded={open}
        onClick={toggle}
      >
        {visible(first)}
        {rest.length > 0 && <span className={css.more}>+{rest.length}</span>}
      </button>
      <Chip tone={tone}>{word}</Chip>
      {!over && <StopButton id={record.key} stop={stopCommand} label={t.stop} />}
    </div>
  );
}

function Body({ record, lines, tall }: { record: TerminalRecord; lines: readonly string[]; tall: boolean }) {
  const { text: t } = useLanguage();
  const over = record.finishedMs !== null || record.abandoned;
  if (record.problem !== null && record.result === null) return <Problem problem={record.problem} />;
  if (lines.length === 0) {
    const className = over ? css.empty : `${css.empty} ${css.emptyLive}`;
    return <div className={className}>{over ? t.noOutput : t.waitingForOutput}</div>;
  }
  const label = `${t.commandOutput} ${visible(record.command.slice(0, 60))}`;
  if (tall) return <Output lines={lines} label={label} tall />;
  if (over) return <Output lines={lines.slice(-SETTLED_LINES)} label={label} />;
  return <Output lines={lines.slice(-LIVE_LINES)} label={label} live={LIVE_LINES} />;
}

function Foot({ record, lines, tall, setTall }: FootProps) {
  const { text: t, locale } = useLanguage();
  const { result, tail } = record;
  const total = result === null ? Math.max(tail.lines, lines.length) : lines.length;
  const whole = result === null ? tail.missing === 0 : (result.cut_characters ?? 0) === 0;
  const hidden = lines.length > (result === null ? LIVE_LINES : SETTLED_LINES);
  const more = whole && total === lines.length ? t.showAll(count(total, locale)) : t.showMore;
  return (
    <div className={card.foot}>
      {lines.length > 0 && whole && <span>{t.lines(total, count(total, locale))}</span>}
      {result !== null && <span>{took(result.duration_ms)}</span>}
      {result === null && (!whole || total > lines.length) && <span>{t.earlierLeftOut}</span>}
      {result?.log_path && (
        <span className={`${css.path} ${css.logPath}`} title={`${t.logAt}: ${result.log_path}`}>
          {result.log_path}
        </span>
      )}
      <span className={card.actions}>
        <ExpandCommand id={record.key} />
        {hidden && (
          <Button look="quiet" aria-expanded={tall} onClick={() => setTall(!tall)}>
            {tall ? <ChevronUp size={14} aria-hidden="true" /> : <ChevronDown size={14} aria-hidden="true" />}
            {tall ? t.showLess : more}
          </Button>
        )}
        {lines.length > 0 && <CopyButton label={t.copy} text={() => lines.map(withoutColours).join("\n")} />}
      </span>
    </div>
  );
}

interface FootProps {
  record: TerminalRecord;
  lines: readonly string[];
  tall: boolean;
  setTall: (tall: boolean) => void;
}

export function TerminalCard({ record }: { record: TerminalRecord }) {
  const { text: t } = useLanguage();
  const [tall, setTall] = useKept(`tall:${record.key}`, false);
  const [open, setOpen] = useKept(`command:${record.key}`, false);
  const text = textOf(record);
  const lines = useMemo(() => settledLines(text), [text]);
  const started = record.problem === null || record.result !== null;
  return (
    <div className={card.card} role="group" aria-label={t.command} data-card="terminal">
      <Head record={record} open={open} toggle={() => setOpen(!open)} />
      {open && <pre className={css.script}>{visibleText(record.command)}</pre>}
      <Body record={record} lines={lines} tall={tall} />
      {started && <TerminalNotes card={record} />}
      {started && <Foot record={record} lines={lines} tall={tall} setTall={setTall} />}
    </div>
  );
}
