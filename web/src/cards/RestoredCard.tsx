/** What the computer woke with where that is not what its owner left: which files, as of when, what is gone. */
import { CircleAlert } from "lucide-react";
import type { Restored } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { dateAndTime, visible } from "../ui/format.ts";
import card from "./Card.module.css";
import css from "./RestoredCard.module.css";
import { restoredLines } from "./restored-lines.ts";

export default function RestoredCard({ restored }: { restored: Restored }) {
  const { text: t, locale } = useLanguage();
  const names = restored.missing_names ?? [];
  return (
    <div
      className={card.card}
      role="group"
      aria-label={t.restored}
      data-card="restored"
      data-source={restored.source}
    >
      <div className={card.head}>
        <CircleAlert size={16} aria-hidden="true" />
        <span className={card.name}>{t.restored}</span>
      </div>
      <div className={css.body}>
        {restoredLines(restored, t, (ms) => dateAndTime(ms, locale)).map((line) => (
          <p key={line}>{line}</p>
        ))}
        {names.length > 0 && (
          <ul className={css.names}>
            {names.map((name) => (
              <li key={name} className={card.mono}>
                {visible(name)}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
