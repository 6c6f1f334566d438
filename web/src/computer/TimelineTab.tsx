/** A run gone through step by step: what was called at each, and how the files stood then. The last step follows a run. */
import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from "lucide-react";
import { useSyncExternalStore } from "react";
import { Tally } from "../cards/DiffView.tsx";
import { toolName } from "../cards/tool-name.ts";
import { useLanguage } from "../i18n/text.ts";
import type { CallCard } from "../stream/cards.ts";
import type { ThreadSession } from "../stream/thread-session.ts";
import { type CardActions, Row } from "../thread/Row.tsx";
import { Button } from "../ui/Button.tsx";
import { SelectField } from "../ui/Field.tsx";
import { timeOfDay, visible } from "../ui/format.ts";
import type { Panel } from "./panel-address.ts";
import css from "./TimelineTab.module.css";
import { filesAt, runsOf, stepOf, type TimelineRun } from "./timeline.ts";

const nothing = () => {};
/** No card of a call has anything to do but what it does by itself. */
const ACTIONS: CardActions = {
  retry: nothing,
  discard: nothing,
  branch: async () => {},
  quote: nothing,
  resume: nothing,
  openBotSettings: nothing,
};

const firstLine = (text: string) => text.trim().split("\n")[0] ?? "";

function stepWord(card: CallCard, t: ReturnType<typeof useLanguage>["text"]): string {
  if (card.kind === "terminal") return `$ ${firstLine(card.command)}`;
  if (card.kind === "file")
    return `${{ read: t.read, write: t.wrote, edit: t.edited }[card.action]} ${card.path}`;
  if (card.kind === "artifact") return `${t.handedOver} ${card.path}`;
  return card.kind === "tool" ? toolName(card.tool, t) : "";
}

export default function TimelineTab({ session, panel }: { session: ThreadSession; panel: Panel }) {
  const { text: t } = useLanguage();
  const { store } = session;
  // What is there, and how its run stands: both say when there is something new to go through.
  useSyncExternalStore(store.onOrder, store.order);
  useSyncExternalStore(store.onFacts, store.facts);
  const runs = runsOf(store.cards());
  const run = runs.find(({ id }) => id === panel.place.get("run")) ?? runs[0];
  if (run === undefined) return <p className={css.empty}>{t.noSteps}</p>;
  return (
    <div className={css.tab}>
      {runs.length > 1 && (
        <div className={css.runs}>
          <SelectField
            label={t.run}
            value={run.id}
            choose={(id) => panel.show("timeline", { run: id })}
            options={runs.map(({ id, text }) => ({
              value: id,
              label: firstLine(visible(text)).slice(0, 80) || id,
            }))}
          />
        </div>
      )}
      <Steps key={run.id} run={run} session={session} panel={panel} />
    </div>
  );
}

function Steps({ run, session, panel }: { run: TimelineRun; session: ThreadSession; panel: Panel }) {
  const { text: t, locale } = useLanguage();
  const count = run.steps.length;
  const step = stepOf(panel.place.get("step"), count);
  const card = run.steps[step - 1];
  const files = filesAt(run.steps, step);
  const chosen = files.find(({ path }) => path === panel.place.get("changed"));
  const go = (to: number) =>
    panel.show("timeline", { run: run.id, ...(to === count ? {} : { step: String(to) }) });
  if (card === undefined) return null;
  const word = visible(stepWord(card, t));
  const buttons = [
    { label: t.firstStep, icon: ChevronFirst, to: 1 },
    { label: t.previousStep, icon: ChevronLeft, to: step - 1 },
    { label: t.nextStep, icon: ChevronRight, to: step + 1 },
    { label: t.lastStep, icon: ChevronLast, to: count },
  ];
  return (
    <>
      <div className={css.scrubber}>
        <div className={css.where}>
          <strong>{t.stepOf(step, count)}</strong>
          <span>{timeOfDay(card.startedMs, locale)}</span>
          <code title={word}>{word}</code>
        </div>
        <input
          type="range"
          min={1}
          max={count}
          value={step}
          disabled={count === 1}
          aria-label={t.step}
          aria-valuetext={`${t.stepOf(step, count)}: ${word}`}
          onChange={(event) => go(Number(event.target.value))}
        />
        <div className={css.buttons}>
          {buttons.map(({ label, icon: Icon, to }) => (
            <Button
              key={label}
              icon
              look="quiet"
              aria-label={label}
              disabled={to < 1 || to > count || to === step}
              onClick={() => go(to)}
            >
              <Icon size={16} aria-hidden="true" />
            </Button>
          ))}
        </div>
      </div>
      <div className={css.moment}>
        <Row store={session.store} id={card.key} actions={ACTIONS} />
        <h3>{t.filesThen}</h3>
        {files.length === 0 && <p className={css.none}>{t.noFilesThen}</p>}
        <ul>
          {files.map(({ path, card: last, added, removed, changes }) => (
            <li key={path}>
              <button
                type="button"
                className={css.file}
                aria-expanded={chosen?.path === path}
                onClick={() =>
                  panel.show("timeline", {
                    run: run.id,
                    ...(step === count ? {} : { step: String(step) }),
                    ...(chosen?.path === path ? {} : { changed: path }),
                  })
                }
              >
                <code>{visible(path)}</code>
                <small>{t.changedTimes(changes)}</small>
                {added !== null && removed !== null && <Tally change={{ path, size: 0, added, removed }} />}
              </button>
              {chosen?.path === path && last.key !== card.key && (
                <Row store={session.store} id={last.key} actions={ACTIONS} />
              )}
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
