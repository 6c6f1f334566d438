/** What came of a routine, the newest first: each run with its cost, and why none began. */
import { useEffect, useState } from "react";
import { problemOf } from "../api/http.ts";
import { getRoutineHistory } from "../api/routines.ts";
import { useMay } from "../app/rights.ts";
import type { Routine, RoutineFiring } from "../contracts.ts";
import { useSaid } from "../i18n/reasons/use-sentences.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Chip } from "../ui/Chip.tsx";
import { dateAndTime } from "../ui/format.ts";
import css from "./Routines.module.css";
import { dollars } from "./routine-form.ts";
import { outcomeOf } from "./schedule-words.ts";

function Entry({ firing }: { firing: RoutineFiring }) {
  const { text: t, locale } = useLanguage();
  const mayAnswer = useMay("chat");
  const { tone, word } = outcomeOf(firing, t, mayAnswer);
  const saidOf = useSaid();
  const kinds: Readonly<Record<string, string>> = t.routine.checkKinds;
  const note = firing.note ?? "";
  const failure = firing.run?.error
    ? t.errors[firing.run.error.code].title
    : (kinds[note] ?? saidOf({ message: note, details: firing.details }));
  return (
    <li className={css.entry} data-outcome={firing.outcome}>
      <time dateTime={new Date(firing.at_ms).toISOString()}>{dateAndTime(firing.at_ms, locale)}</time>
      <Chip tone={tone}>{word}</Chip>
      <span className={css.note}>
        {[firing.by === "person" ? t.routine.byHand : "", failure].filter(Boolean).join(" · ")}
      </span>
      {firing.run && <span className={css.cost}>{dollars(firing.microdollars ?? 0, locale)}</span>}
    </li>
  );
}

export function RoutineHistory({ routine }: { routine: Routine }) {
  const { text: t } = useLanguage();
  const [items, setItems] = useState<readonly RoutineFiring[] | null>(null);
  const [more, setMore] = useState(false);
  const [failed, setFailed] = useState(false);
  const newest = `${routine.last?.id} ${routine.last?.run?.state} ${routine.last?.count}`;

  const load = (before?: number) =>
    getRoutineHistory(routine.id, before).then(
      (page) => {
        setItems((known) => [...(before === undefined ? [] : (known ?? [])), ...page.items]);
        setMore(page.more);
      },
      (reason: unknown) => {
        problemOf(reason);
        setFailed(true);
      },
    );

  // biome-ignore lint/correctness/useExhaustiveDependencies: again, when the newest entry is another one
  useEffect(() => void load(), [newest]);

  return (
    <div className={css.history}>
      {failed && <p role="status">{t.errors.internal.title}</p>}
      {items?.length === 0 && <p className={css.hint}>{t.routine.noHistory}</p>}
      <ul>
        {(items ?? []).map((firing) => (
          <Entry key={firing.id} firing={firing} />
        ))}
      </ul>
      {more && <Button onClick={() => void load(items?.at(-1)?.id)}>{t.showMore}</Button>}
    </div>
  );
}
