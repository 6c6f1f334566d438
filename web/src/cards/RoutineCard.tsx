/** Where a routine began a run: which one, set off by what, and what it was told to do. */
import { CalendarClock } from "lucide-react";
import { Link } from "wouter";
import type { RoutineEntry } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import type { UserCard } from "../stream/cards.ts";
import { Chip } from "../ui/Chip.tsx";
import { dateAndTime } from "../ui/format.ts";
import card from "./Card.module.css";
import css from "./RoutineCard.module.css";

export default function RoutineCard({ record, routine }: { record: UserCard; routine: RoutineEntry }) {
  const { text: t, locale } = useLanguage();
  const by = routine.by === "person" ? t.routine.byHand : t.routine.due(dateAndTime(routine.due_ms, locale));
  return (
    <div className={`${card.card} ${css.routine}`} role="group" aria-label={routine.name} data-card="routine">
      <div className={css.head}>
        <CalendarClock size={15} aria-hidden="true" />
        <Link href="/routines">{routine.name}</Link>
        <span className={css.by}>{by}</span>
        {record.queued && <Chip tone="running">{t.inQueue}</Chip>}
      </div>
      <p className={css.prompt}>{record.text}</p>
    </div>
  );
}
