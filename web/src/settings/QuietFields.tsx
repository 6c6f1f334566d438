/** Quiet hours: whether there are any, and from when until when. */
import { useEffect, useState } from "react";
import type { QuietHours } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Field, Tick } from "../ui/Field.tsx";
import { clockOf, minuteOf } from "./notice-settings.ts";
import css from "./Settings.module.css";

const NIGHT: QuietHours = { begin: 22 * 60, until: 7 * 60 };

interface QuietFieldsProps {
  zone: string;
  quiet: QuietHours | null;
  choose: (quiet: QuietHours | null) => void;
}

export function QuietFields({ zone, quiet, choose }: QuietFieldsProps) {
  const { notices: t } = useText();
  const [typed, setTyped] = useState({ begin: "", until: "" });
  useEffect(() => {
    setTyped(
      quiet === null
        ? { begin: "", until: "" }
        : { begin: clockOf(quiet.begin), until: clockOf(quiet.until) },
    );
  }, [quiet]);
  const [begin, until] = [minuteOf(typed.begin), minuteOf(typed.until)];
  const same = begin !== null && begin === until;
  /** Taken when a field is left: a time that is still being typed is none yet. */
  const keep = () => {
    if (quiet === null || begin === null || until === null || same) return;
    if (begin !== quiet.begin || until !== quiet.until) choose({ begin, until });
  };
  return (
    <>
      <Tick label={t.quietHours} ticked={quiet !== null} tick={(is) => choose(is ? NIGHT : null)} />
      {quiet !== null && (
        <>
          <div className={css.times}>
            <Field
              label={t.quietBegin}
              type="time"
              value={typed.begin}
              wrong={same ? t.quietSame : null}
              onChange={(event) => setTyped({ ...typed, begin: event.target.value })}
              onBlur={keep}
            />
            <Field
              label={t.quietUntil}
              type="time"
              value={typed.until}
              onChange={(event) => setTyped({ ...typed, until: event.target.value })}
              onBlur={keep}
            />
          </div>
          <p className={css.fact}>{t.quietHint(zone.replaceAll("_", " "))}</p>
        </>
      )}
    </>
  );
}
