/** What is left of the allowance, what this month has taken, and when the next one begins. */
import { OctagonX } from "lucide-react";
import card from "../cards/Card.module.css";
import type { Allowance } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { dateIn, dollars } from "../ui/format.ts";
import css from "./Usage.module.css";

export function AllowanceSummary({ allowance }: { allowance: Allowance }) {
  const { text: t, locale } = useLanguage();
  const { balance_micro, spent_micro, granted_micro, once_micro, resets_ms, time_zone, prices } = allowance;
  const whole = Math.max(balance_micro + spent_micro, 1);
  const resets = dateIn(resets_ms, time_zone, locale);
  return (
    <section className={css.summary} aria-label={t.allowance}>
      <div className={css.left}>
        <strong data-exhausted={allowance.exhausted}>{dollars(balance_micro, locale, 2)}</strong>
        <span>{t.allowanceLeft}</span>
      </div>
      <meter
        className={css.meter}
        min={0}
        max={whole}
        value={Math.min(Math.max(balance_micro, 0), whole)}
        aria-label={t.allowanceLeft}
      />
      {allowance.exhausted && (
        <div className={card.problem} role="group" aria-label={t.errors.computer_allowance_exhausted.title}>
          <OctagonX size={15} aria-hidden="true" />
          <strong>{t.errors.computer_allowance_exhausted.title}</strong>
          <p className={card.advice}>{t.allowanceStillWorks}</p>
        </div>
      )}
      <dl className={css.facts}>
        <div>
          <dt>{t.allowanceSpent}</dt>
          <dd>{dollars(spent_micro, locale, 2)}</dd>
        </div>
        <div>
          <dt>{t.allowanceGranted}</dt>
          <dd>{dollars(granted_micro, locale, 2)}</dd>
        </div>
        {once_micro > 0 && (
          <div>
            <dt>{t.allowanceOnce}</dt>
            <dd>{dollars(once_micro, locale, 2)}</dd>
          </div>
        )}
        <div>
          <dt>{t.allowanceResets}</dt>
          <dd>
            {resets} <small>{time_zone}</small>
          </dd>
        </div>
        <div>
          <dt>{t.computerHourPrice}</dt>
          <dd>{dollars(prices.computer_micro_an_hour, locale, 3)}</dd>
        </div>
      </dl>
    </section>
  );
}
