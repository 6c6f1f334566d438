/** All routines: how each stands, when it runs next, what came of it last and what it costs. */

import { CalendarClock, Pause, Play, Plus, Settings } from "lucide-react";
import { lazy, useCallback, useEffect, useState } from "react";
import { Link } from "wouter";
import { useStore } from "zustand";
import { problemOf } from "../api/http.ts";
import { getRoutines, pauseRoutine, resumeRoutine, runRoutine } from "../api/routines.ts";
import { directory } from "../app/directory.ts";
import { useMay } from "../app/rights.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord, Routine } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Header } from "../thread/Header.tsx";
import { Button } from "../ui/Button.tsx";
import { Chip } from "../ui/Chip.tsx";
import { dateAndTime } from "../ui/format.ts";
import { LazyPart } from "../ui/LazyPart.tsx";
import { RoutineHistory } from "./RoutineHistory.tsx";
import css from "./Routines.module.css";
import { dollars } from "./routine-form.ts";
import { outcomeOf, scheduleWords, stateOf } from "./schedule-words.ts";

const RoutineDialog = lazy(() => import("./RoutineDialog.tsx"));
const REFRESH_MS = 5_000;

interface ItemProps {
  routine: Routine;
  act: (action: () => Promise<unknown>) => void;
  edit: () => void;
}

function Facts({ routine }: { routine: Routine }) {
  const { text: t, locale } = useLanguage();
  const bot = useStore(directory, (all) => all.bots?.find((one) => one.id === routine.bot_id));
  const mayAnswer = useMay("chat");
  const last = routine.last ? outcomeOf(routine.last, t, mayAnswer) : null;
  const facts: [string, React.ReactNode][] = [
    [t.routine.bot, bot?.name ?? ""],
    [t.routine.next, routine.next_ms ? dateAndTime(routine.next_ms, locale) : "–"],
    [
      t.routine.last,
      last === null ? (
        "–"
      ) : (
        <Chip key="last" tone={last.tone}>
          {last.word}
        </Chip>
      ),
    ],
    [t.routine.month, dollars(routine.month_microdollars ?? 0, locale)],
  ];
  return (
    <dl className={css.facts}>
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Item({ routine, act, edit }: ItemProps) {
  const { text: t, locale } = useLanguage();
  const [open, setOpen] = useState(false);
  const chats = useMay("chat");
  const manages = useMay("manage");
  const state = stateOf(routine, t);
  const { id, settings } = routine;
  const paused = routine.state === "paused";
  return (
    <li className={css.item} data-routine={settings.name} data-state={routine.state}>
      <div className={css.itemHead}>
        <div className={css.itemName}>
          <h2>{settings.name}</h2>
          <span className={css.hint}>{scheduleWords(routine, t, locale)}</span>
        </div>
        <Chip tone={state.tone}>{state.word}</Chip>
      </div>
      <Facts routine={routine} />
      <div className={css.actions}>
        {chats && (
          <Button onClick={() => act(() => runRoutine(id, crypto.randomUUID()))}>
            <Play size={14} aria-hidden="true" />
            {t.routine.runNow}
          </Button>
        )}
        {manages && routine.state !== "finished" && (
          <Button onClick={() => act(() => (paused ? resumeRoutine(id) : pauseRoutine(id)))}>
            {paused ? <CalendarClock size={14} aria-hidden="true" /> : <Pause size={14} aria-hidden="true" />}
            {paused ? t.routine.resume : t.routine.pause}
          </Button>
        )}
        <Button look="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          {t.routine.history}
        </Button>
        <Link className={css.link} href={`/t/${routine.thread_id}`}>
          {t.routine.thread}
        </Link>
        {manages && (
          <Button icon look="quiet" aria-label={t.routine.settingsOf(settings.name)} onClick={edit}>
            <Settings size={15} aria-hidden="true" />
          </Button>
        )}
      </div>
      {open && <RoutineHistory routine={routine} />}
    </li>
  );
}

export default function RoutinesPage({ openRail }: { openRail: () => void }) {
  const { text: t } = useLanguage();
  const bots = useStore(directory, (all) => all.bots);
  const manages = useMay("manage");
  const [items, setItems] = useState<readonly Routine[] | null>(null);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const [dialog, setDialog] = useState<{ routine: Routine | null } | null>(null);

  const load = useCallback(
    () =>
      getRoutines().then(
        (answer) => setItems(answer.items),
        (reason: unknown) => setProblem(problemOf(reason)),
      ),
    [],
  );

  useEffect(() => {
    document.title = `${t.routine.title} · Berth`;
    void load();
    const timer = setInterval(() => document.visibilityState === "visible" && void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [load, t]);

  const act = (action: () => Promise<unknown>) => {
    setProblem(null);
    action().then(load, (reason: unknown) => setProblem(problemOf(reason)));
  };

  return (
    <>
      <Header title={t.routine.title} openRail={openRail}>
        {manages && (
          <Button look="primary" disabled={!bots?.length} onClick={() => setDialog({ routine: null })}>
            <Plus size={15} aria-hidden="true" />
            {t.routine.fresh}
          </Button>
        )}
      </Header>
      <div className={css.page}>
        {problem !== null && (
          <div className={css.problem}>
            <Problem problem={problem} />
          </div>
        )}
        {items === null && problem === null && <p className={css.hint}>{t.loading}</p>}
        {items?.length === 0 && (
          <div className={css.empty}>
            <CalendarClock size={36} aria-hidden="true" />
            <p>{manages && bots?.length === 0 ? t.routine.noBots : t.routine.none}</p>
          </div>
        )}
        <ul className={css.items}>
          {(items ?? []).map((routine) => (
            <Item key={routine.id} routine={routine} act={act} edit={() => setDialog({ routine })} />
          ))}
        </ul>
      </div>
      {dialog !== null && (
        <LazyPart close={() => setDialog(null)}>
          <RoutineDialog routine={dialog.routine} close={() => setDialog(null)} changed={() => void load()} />
        </LazyPart>
      )}
    </>
  );
}
