/** Every bot with the model it thinks with; what is set of one opens above the page. */
import { Plus, Settings } from "lucide-react";
import { useStore } from "zustand";
import { directory } from "../app/directory.ts";
import type { Bot } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import css from "./BotsSection.module.css";
import type { SectionProps } from "./sections.ts";

export default function BotsSection({ newBot, editBot }: SectionProps) {
  const t = useText();
  const bots = useStore(directory, (all) => all.bots);
  const modelOf = ({ model: { provider = "manual", model = "" } }: Bot) =>
    [t.providers[provider].label, model].filter(Boolean).join(" · ");
  if (bots === null) return <p role="status">{t.loading}</p>;
  return (
    <>
      <ul className={css.bots}>
        {bots.map((bot) => (
          <li key={bot.id}>
            <span className={css.name}>{bot.name}</span>
            <span className={css.model}>{modelOf(bot)}</span>
            <Button aria-label={t.botSettingsOf(bot.name)} onClick={() => editBot(bot)}>
              <Settings size={15} aria-hidden="true" />
              {t.settings}
            </Button>
          </li>
        ))}
      </ul>
      <Button onClick={newBot}>
        <Plus size={15} aria-hidden="true" />
        {t.newBot}
      </Button>
    </>
  );
}
