/** The deployment in one look, and its breakers. */
import { useState } from "react";
import { changeCircuit, getOverview, resetBreaker, tripBreaker } from "../api/operator.ts";
import type { Overview } from "../contracts.ts";
import { type Dictionary, useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Chip, type Tone } from "../ui/Chip.tsx";
import { count, dateAndTime, dollars, elapsed } from "../ui/format.ts";
import { useAsked } from "./asked.ts";
import { Facts } from "./Facts.tsx";
import css from "./Operator.module.css";
import { type Action, ReasonDialog } from "./ReasonDialog.tsx";
import { Waiting } from "./Waiting.tsx";

type Circuit = Overview["circuits"]["items"][number];

const TONES: Record<Circuit["state"], Tone> = { closed: "finished", open: "failed", half_open: "attention" };

/** Counts by their words, the largest first. */
function Counts({ title, counts }: { title: string; counts: Readonly<Record<string, number>> }) {
  const { text: t, locale } = useLanguage();
  const rows = Object.entries(counts).sort(([, one], [, other]) => other - one);
  return (
    <section className={css.counts} aria-label={title}>
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <p className={css.none}>{t.operator.none}</p>
      ) : (
        <ul>
          {rows.map(([word, n]) => (
            <li key={word}>
              <code>{word}</code>
              <span>{count(n, locale)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function circuitActions(circuit: Circuit, t: Dictionary): Action[] {
  const { circuits: words } = t.operator;
  const to = (state: Circuit["state"], title: string, about: string): Action => ({
    title: `${title}: ${words.names[circuit.name]}`,
    about,
    word: title,
    harsh: state === "open",
    run: (reason) => changeCircuit(circuit.name, { state, reason }),
  });
  const all: Record<Circuit["state"], Action> = {
    closed: to("closed", words.close, words.closeAbout),
    half_open: to("half_open", words.halve, words.halveAbout),
    open: to("open", words.open, words.openAbout),
  };
  return Object.entries(all)
    .filter(([state]) => state !== circuit.state)
    .map(([, action]) => action);
}

function BreakerRow({
  name,
  about,
  tone,
  word,
  reason,
  actions,
  act,
}: {
  name: string;
  about: string;
  tone: Tone;
  word: string;
  reason: string;
  actions: Action[];
  act: (action: Action) => void;
}) {
  return (
    <li className={css.breaker}>
      <div>
        <h3>{name}</h3>
        <Chip tone={tone}>{word}</Chip>
      </div>
      <p>{about}</p>
      {reason !== "" && <p className={css.reason}>{reason}</p>}
      <div className={css.acts}>
        {actions.map((action) => (
          <Button key={action.word} look={action.harsh ? "danger" : "outline"} onClick={() => act(action)}>
            {action.word}
          </Button>
        ))}
      </div>
    </li>
  );
}

function Breakers({ overview, act }: { overview: Overview; act: (action: Action) => void }) {
  const { text: t, locale } = useLanguage();
  const { circuits: words, network } = t.operator;
  const { breaker, circuits } = overview;
  const trip: Action = {
    title: network.trip,
    about: network.tripAbout,
    word: network.trip,
    harsh: true,
    run: (reason) => tripBreaker({ reason, exempt: [] }),
  };
  const reset: Action = {
    title: network.reset,
    about: network.resetAbout,
    word: network.reset,
    withoutReason: true,
    run: resetBreaker,
  };
  return (
    <ul className={css.breakers}>
      {circuits.items.map((circuit) => (
        <BreakerRow
          key={circuit.name}
          name={words.names[circuit.name]}
          about={
            circuit.name === "spending"
              ? words.spent(
                  dollars(circuits.day_micro, locale, 2),
                  dollars(circuits.day_budget_micro, locale, 2),
                  dollars(circuits.hour_micro, locale, 2),
                  dollars(circuits.hour_budget_micro, locale, 2),
                )
              : words.started(overview.starts_good ?? 0, overview.starts_failed ?? 0)
          }
          tone={TONES[circuit.state]}
          word={words.states[circuit.state]}
          reason={circuit.reason ?? ""}
          actions={circuitActions(circuit, t)}
          act={act}
        />
      ))}
      <BreakerRow
        name={network.name}
        about={breaker ? network.since(dateAndTime(breaker.at_ms, locale)) : network.about}
        tone={breaker ? "failed" : "finished"}
        word={breaker ? network.tripped : network.letsPass}
        reason={breaker?.reason ?? ""}
        actions={[breaker ? reset : trip]}
        act={act}
      />
    </ul>
  );
}

export function OverviewTab() {
  const { text: t, locale } = useLanguage();
  const { found, trouble, again } = useAsked(getOverview);
  const [action, setAction] = useState<Action | null>(null);
  if (found === null) return <Waiting trouble={trouble} again={again} />;
  const words = t.operator;
  const awake = (found.computers?.running ?? 0) + (found.computers?.starting ?? 0);
  return (
    <>
      <section className={css.card} aria-label={words.deployment}>
        <Facts
          facts={[
            [words.version, found.version],
            ...(found.deployed ? ([[words.deployed, <code key="d">{found.deployed}</code>]] as const) : []),
            [words.owners, count(found.owners, locale)],
            [words.awake, count(awake, locale)],
            [words.banned, count(found.banned, locale)],
            [words.deleted, count(found.deleted, locale)],
            [words.ran, elapsed(found.running_ms ?? 0)],
          ]}
        />
      </section>
      <h2>{words.breakers}</h2>
      <Breakers overview={found} act={setAction} />
      <h2>{words.lastDay}</h2>
      <div className={css.pair}>
        <Counts title={words.runs} counts={found.runs ?? {}} />
        <Counts title={words.errors} counts={found.errors ?? {}} />
      </div>
      {action !== null && <ReasonDialog action={action} close={() => setAction(null)} done={again} />}
    </>
  );
}
