/** What stands where no thread is: the first steps, or the way to a thread. */
import { Bot as BotIcon, SquarePen } from "lucide-react";
import { useStore } from "zustand";
import card from "../cards/Card.module.css";
import { Problem } from "../cards/Problem.tsx";
import { useText } from "../i18n/text.ts";
import type { RailActions } from "../rail/Rail.tsx";
import css from "../thread/Conversation.module.css";
import { Header } from "../thread/Header.tsx";
import { Button } from "../ui/Button.tsx";
import { directory, refresh } from "./directory.ts";

interface WelcomeProps {
  actions: RailActions;
  openRail: () => void;
  /** A thread was asked for, and the lists that know it are not here yet. */
  waiting: boolean;
}

export function Welcome({ actions, openRail, waiting }: WelcomeProps) {
  const t = useText();
  const { bots, trouble } = useStore(directory);
  return (
    <>
      <Header title={waiting ? t.loading : "Berth"} openRail={openRail} />
      <div className={css.center}>
        {bots === null ? (
          trouble === null ? (
            <p className={css.late}>{t.loading}</p>
          ) : (
            <div className={card.card}>
              <Problem problem={trouble}>
                <Button onClick={() => void refresh()}>{t.retry}</Button>
              </Problem>
            </div>
          )
        ) : (
          <>
            <img src="/icon.svg" alt="" width={56} height={56} />
            <h2>{t.welcomeTitle}</h2>
            <p>{bots.length === 0 ? t.welcomeBody : t.pickThread}</p>
            <div className={css.tries}>
              {bots.map((bot) => (
                <Button key={bot.id} look="primary" onClick={() => actions.newThread(bot.id)}>
                  <SquarePen size={15} aria-hidden="true" />
                  {bots.length === 1 ? t.newThread : t.newThreadWith(bot.name)}
                </Button>
              ))}
              <Button look={bots.length === 0 ? "primary" : "outline"} onClick={actions.newBot}>
                <BotIcon size={15} aria-hidden="true" />
                {t.newBot}
              </Button>
            </div>
          </>
        )}
      </div>
    </>
  );
}

export function Missing({ openRail }: { openRail: () => void }) {
  const t = useText();
  return (
    <>
      <Header title={t.notFoundTitle} openRail={openRail} />
      <div className={css.center}>
        <h2>{t.notFoundTitle}</h2>
        <p>{t.notFoundBody}</p>
      </div>
    </>
  );
}
