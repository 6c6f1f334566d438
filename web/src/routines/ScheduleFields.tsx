/** When a routine runs, with the next times as the server counts them, while they are being entered. */
import { useEffect, useState } from "react";
import { problemOf } from "../api/http.ts";
import { routineTimes } from "../api/routines.ts";
import type { Problem } from "../contracts.ts";
import { useSaid } from "../i18n/reasons/use-sentences.ts";
import { useLanguage } from "../i18n/text.ts";
import { Field, SelectField } from "../ui/Field.tsx";
import css from "./Routines.module.css";
import { canPreview, type RoutineForm, type RoutineFormErrors, scheduleOf } from "./routine-form.ts";
import { nextTime } from "./schedule-words.ts";

export interface FormProps {
  form: RoutineForm;
  errors: RoutineFormErrors;
  set: (part: Partial<RoutineForm>) => void;
}

const TYPING_MS = 250;

type Times = { readonly times: readonly number[] } | { readonly wrong: Problem };

/** What the server says of a schedule; `null` while it has not said anything yet of the very one that is entered. */
function useTimes(form: RoutineForm): Times | null {
  const [found, setFound] = useState<{ asked: string; answer: Times } | null>(null);
  const asked = canPreview(form)
    ? JSON.stringify({ schedule: scheduleOf(form), zone: form.zone.trim() })
    : "";
  useEffect(() => {
    if (asked === "") return;
    let stale = false;
    const timer = setTimeout(() => {
      routineTimes(JSON.parse(asked)).then(
        (answer) => !stale && setFound({ asked, answer }),
        (reason: unknown) => {
          const problem = problemOf(reason);
          if (!stale) setFound(problem === "unreachable" ? null : { asked, answer: { wrong: problem } });
        },
      );
    }, TYPING_MS);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [asked]);
  return found?.asked === asked ? found.answer : null;
}

function NextTimes({ form }: { form: RoutineForm }) {
  const { text: t, locale } = useLanguage();
  const found = useTimes(form);
  const saidOf = useSaid();
  // Days of the week make a wrong schedule easy to see. The zone is the routine's, which the server knows.
  const show = (ms: number) => nextTime(ms, Date.now(), form.zone.trim(), locale);
  return (
    <div className={css.times} role="status" data-times>
      {found !== null && "wrong" in found && <span className={css.wrong}>{saidOf(found.wrong)}</span>}
      {found !== null && "times" in found && (
        <>
          <span>{t.routine.nextTimes}</span>
          <ol>
            {found.times.map((ms) => (
              <li key={ms}>{show(ms)}</li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

export function ScheduleFields({ form, errors, set }: FormProps) {
  const { text: t } = useLanguage();
  return (
    <>
      <SelectField
        label={t.routine.when}
        value={form.when}
        choose={(when) => set({ when })}
        options={[
          { value: "cron", label: t.routine.byCron },
          { value: "every", label: t.routine.byInterval },
          { value: "once", label: t.routine.byOnce },
        ]}
      />
      {form.when === "cron" && (
        <Field
          label={t.routine.cron}
          hint={t.routine.cronHint}
          value={form.cron}
          maxLength={100}
          spellCheck={false}
          onChange={(event) => set({ cron: event.target.value })}
        />
      )}
      {form.when === "every" && (
        <Field
          label={t.routine.minutes}
          inputMode="numeric"
          value={form.minutes}
          wrong={errors.minutes}
          onChange={(event) => set({ minutes: event.target.value })}
        />
      )}
      {form.when === "once" && (
        <Field
          label={t.routine.at}
          type="datetime-local"
          value={form.at}
          onChange={(event) => set({ at: event.target.value })}
        />
      )}
      <Field
        label={t.routine.zone}
        hint={t.routine.zoneHint}
        list="time-zones"
        value={form.zone}
        maxLength={64}
        spellCheck={false}
        onChange={(event) => set({ zone: event.target.value })}
      />
      <datalist id="time-zones">
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <NextTimes form={form} />
    </>
  );
}
