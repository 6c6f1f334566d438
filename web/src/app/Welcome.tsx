/** What stands where no thread is: the first steps, or the way to a thread. */

import { Bot as BotIcon, SquarePen, X } from "lucide-react";
import { useState } from "react";
import { useStore } from "zustand";
import { problemOf } from "../api/http.ts";
import card from "../cards/Card.module.css";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import type { RailActions } from "../rail/Rail.tsx";
import css from "../thread/Conversation.module.css";
import { FirstSteps } from "../thread/FirstSteps.tsx";
import { openSteps } from "../thread/first-steps.ts";
import { Header } from "../thread/Header.tsx";
import { Button } from "../ui/Button.tsx";
import { addBot, directory, openNewThread, refresh } from "./directory.ts";
import { useLacks, useMay } from "./rights.ts";
import { sendMessage } from "./sessions.ts";
import { takenSteps, waveAway } from "./taken-steps.ts";
import { standing } from "./trading.ts";

interface WelcomeProps {
  actions: RailActions;
  openRail: () => void;
  openThread: (id: string) => void;
  /** A thread was asked for, and the lists that know it are not here yet. */
  waiting: boolean;
}

interface FirstBotProps extends Pick<WelcomeProps, "actions" | "openThread"> {
  /** From then on there may be a bot, and still something to say here. */
  began: () => void;
}

/** The first step makes the first bot, which needs no model, and its first thread. */
function FirstBot({ actions, openThread, began }: FirstBotProps) {
  const t = useText();
  const manages = useMay("manage");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const take = async (text: string) => {
    began();
    setBusy(true);
    setProblem(null);
    try {
      const bot = directory.getState().bots?.[0] ?? (await addBot({ name: t.botFirstName }));
      const thread = await openNewThread(bot.id);
      sendMessage(thread.id, text, []);
      openThread(thread.id);
    } catch (reason) {
      setProblem(problemOf(reason));
      setBusy(false);
    }
  };
  return (
    <>
      <h2>{t.welcomeTitle}</h2>
      <p>{t.welcomeBody}</p>
      <FirstSteps manual busy={busy} take={(text) => void take(text)} />
      {problem !== null && (
        <div className={card.card}>
          <Problem problem={problem} />
        </div>
      )}
      {manages && (
        <div className={css.tries}>
          <Button onClick={actions.newBot}>
            <BotIcon size={15} aria-hidden="true" />
            {t.newBot}
          </Button>
        </div>
      )}
    </>
  );
}

/** Whether the first steps belong on the first page: some are left, or nothing was ever said here. */
function useOpenSteps(): boolean {
  const taken = useStore(takenSteps, (all) => all.taken);
  const trading = useStore(standing, (all) => all.trading);
  const fresh = useStore(directory, ({ threads }) => threads?.every((one) => one.head_seq === 0) === true);
  return openSteps(taken, trading).length > 0 && (taken.length > 0 || fresh);
}

/** What was not tried yet, beside what was, with a bot that needs no model where there is one. */
function OtherSteps({ openThread }: Pick<WelcomeProps, "openThread">) {
  const t = useText();
  const bots = useStore(directory, (all) => all.bots) ?? [];
  const [busy, setBusy] = useState(false);
  const bot = bots.find((one) => one.model.provider === "manual") ?? bots[0];
  if (bot === undefined) return null;
  const take = (text: string) => {
    setBusy(true);
    openNewThread(bot.id).then(
      (thread) => {
        sendMessage(thread.id, text, []);
        openThread(thread.id);
      },
      (reason: unknown) => {
        directory.setState({ trouble: problemOf(reason) });
        setBusy(false);
      },
    );
  };
  return (
    <>
      <FirstSteps manual={bot.model.provider === "manual"} busy={busy} take={take} />
      <Button look="quiet" onClick={waveAway}>
        <X size={15} aria-hidden="true" />
        {t.dismiss}
      </Button>
    </>
  );
}

function PickThread({ actions, openThread }: Pick<WelcomeProps, "actions" | "openThread">) {
  const t = useText();
  const chats = useMay("chat");
  const lacks = useLacks("chat");
  const steps = useOpenSteps();
  const manages = useMay("manage");
  const bots = useStore(directory, (all) => all.bots) ?? [];
  return (
    <>
      <h2>{t.welcomeTitle}</h2>
      <p>{lacks ? t.members.pickThread : t.pickThread}</p>
      <div className={css.tries}>
        {(chats ? bots : []).map((bot) => (
          <Button key={bot.id} look="primary" onClick={() => actions.newThread(bot.id)}>
            <SquarePen size={15} aria-hidden="true" />
            {bots.length === 1 ? t.newThread : t.newThreadWith(bot.name)}
          </Button>
        ))}
        {manages && (
          <Button onClick={actions.newBot}>
            <BotIcon size={15} aria-hidden="true" />
            {t.newBot}
          </Button>
        )}
      </div>
      {chats && steps && <OtherSteps openThread={openThread} />}
    </>
  );
}

export function Welcome({ actions, openRail, openThread, waiting }: WelcomeProps) {
  const t = useText();
  const { bots, trouble } = useStore(directory);
  const manages = useMay("manage");
  const [began, setBegan] = useState(false);
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
            {(bots.length === 0 && manages) || began ? (
              <FirstBot actions={actions} openThread={openThread} began={() => setBegan(true)} />
            ) : (
              <PickThread actions={actions} openThread={openThread} />
            )}
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
