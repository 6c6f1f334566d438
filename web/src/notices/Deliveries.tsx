/** The last notices and what became of each: so that somebody who got none can see why. */
import type { NoticeDelivery, NoticeState } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Chip, type Tone } from "../ui/Chip.tsx";
import { dateAndTime } from "../ui/format.ts";
import css from "./Notices.module.css";

const TONES: Record<NoticeState, Tone> = {
  sent: "finished",
  pending: "waiting",
  failed: "failed",
  dropped: "stopped",
};
const SHOWN = 20;

export function Deliveries({ deliveries }: { deliveries: readonly NoticeDelivery[] }) {
  const { text, locale } = useLanguage();
  const { notices: t } = text;
  return (
    <details className={css.channel}>
      <summary>{t.last}</summary>
      <ul className={css.deliveries}>
        {deliveries.slice(0, SHOWN).map((one) => (
          <li key={one.id}>
            <span>{`${t.kinds[one.kind]} · ${t.channels[one.channel]}`}</span>
            <Chip tone={TONES[one.state]}>{t.states[one.state]}</Chip>
            <small>
              {dateAndTime(one.created_ms, locale)}
              {one.reason !== null && ` · ${t.reasons[one.reason]}`}
              {one.status !== null && ` · ${one.status}`}
            </small>
          </li>
        ))}
      </ul>
    </details>
  );
}
