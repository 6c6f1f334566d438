/** Quiet hours: whether there are any, and from when until when. */
import { useEffect, useState } from "react";
import type { QuietHours } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Field, Tick } from "../ui/Field.tsx";
import css from "./Notices.module.css";
import { clockOf, minuteOf } from "./notice-settings.ts";

const NIGHT: QuietHours = { begin: 22 * 60, until: 7 * 60 };

interface QuietFieldsProps {
  zone: string;
  quiet: QuietHours | null;
  choose: (quiet: QuietHours | null) => void;
}

export function QuietFields({ zone, quiet, choose }: QuietFieldsProps) {
  const { notices: t } = useText();
  const kept = { begin: quiet?.begin ?? NIGHT.begin, until: quiet?.until ?? NIGHT.until };
  const [typed, setTyped] = useState({ begin: clockOf(kept.begin), until: clockOf(kept.until) });
  // Each by its own number: what is told anew of one takes away nothing that is being typed into the other.
  useEffect(() => setTyped((all) => ({ ...all, begin: clockOf(kept.begin) })), [kept.begin]);
  useEffect(() => setTyped((all) => ({ ...all, until: clockOf(kept.until) })), [kept.until]);
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
              onChange={({ target: { value } }) => setTyped((all) => ({ ...all, begin: value }))}
              onBlur={keep}
            />
            <Field
              label={t.quietUntil}
              type="time"
              value={typed.until}
              onChange={({ target: { value } }) => setTyped((all) => ({ ...all, until: value }))}
              onBlur={keep}
            />
          </div>
          <p className={css.fact}>{t.quietHint(zone.replaceAll("_", " "))}</p>
        </>
      )}
    </>
  );
}
