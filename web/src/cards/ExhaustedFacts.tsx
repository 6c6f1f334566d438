/** What is used up, what resets when, and what still works: the facts of `computer_allowance_exhausted`. */
import { Link } from "wouter";
import type { Exhausted } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { dateIn, dollars } from "../ui/format.ts";
import css from "./Card.module.css";

export function ExhaustedFacts({ facts }: { facts: Exhausted }) {
  const { text: t, locale } = useLanguage();
  return (
    <>
      <p>
        {t.exhaustedSpent(dollars(facts.spent_micro, locale, 2), dollars(facts.monthly_micro, locale, 2))}
      </p>
      <p>
        {t.exhaustedResets(
          dateIn(facts.resets_ms, facts.time_zone, locale),
          dollars(facts.monthly_micro, locale, 2),
        )}
      </p>
      <p className={css.advice}>
        {t.allowanceStillWorks} <Link href="/settings/usage">{t.usage}</Link>
      </p>
    </>
  );
}
