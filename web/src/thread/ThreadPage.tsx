/** One thread: what was said and done, what is going on, and where to write. */

import { Ellipsis, FileDown, Pencil, Settings, TextSearch, Trash2 } from "lucide-react";
import { lazy, useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { useLocation, useSearch } from "wouter";
import { useStore } from "zustand";
import { threadExport } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { handlers, run, useCommand } from "../app/commands.ts";
import { insert, quoted } from "../app/composing.ts";
import { useReaches } from "../app/contact.ts";
import { branchThread, directory, removeThread } from "../app/directory.ts";
import { useMay } from "../app/rights.ts";
import { enter, forgetSession, outbox, sendMessage, sessionOf } from "../app/sessions.ts";
import { stopRun } from "../app/stops.ts";
import { leftOf, takenSteps } from "../app/taken-steps.ts";
import type { Bot, Thread } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { runIsActive } from "../stream/record.ts";
import type { ThreadSession } from "../stream/thread-session.ts";
import { Button } from "../ui/Button.tsx";
import { LazyPart } from "../ui/LazyPart.tsx";
import { MenuButton } from "../ui/MenuButton.tsx";
import { Activity } from "./Activity.tsx";
import { Announcer } from "./Announcer.tsx";
import { Composer } from "./Composer.tsx";
import { ComputerButton } from "./ComputerButton.tsx";
import css from "./Conversation.module.css";
import { Conversation } from "./Conversation.tsx";
import { DropZone } from "./DropZone.tsx";
import { FirstSteps } from "./FirstSteps.tsx";
import { Header } from "./Header.tsx";
import type { CardActions } from "./Row.tsx";

const NextSteps = lazy(() => import("./NextSteps.tsx"));
const RenameDialog = lazy(async () => ({ default: (await import("./ThreadDialogs.tsx")).RenameDialog }));

interface ThreadPageProps {
  thread: Thread;
  bot: Bot;
  openRail: () => void;
  openBotSettings: () => void;
  deleted: () => void;
}

function useSession(threadId: string): ThreadSession {
  const session = useMemo(() => sessionOf(threadId), [threadId]);
  useEffect(() => enter(session), [session]);
  return session;
}

function ThreadMenu({ thread, openBotSettings, deleted }: Omit<ThreadPageProps, "bot" | "openRail">) {
  const t = useText();
  const [renaming, setRenaming] = useState(false);
  const can = useStore(handlers, (all) => all.find !== undefined);
  const chats = useMay("chat");
  const manages = useMay("manage");
  useCommand("rename", chats ? () => setRenaming(true) : null);
  useCommand("botSettings", manages ? openBotSettings : null);
  const close = () => setRenaming(false);
  const remove = () => {
    removeThread(thread).then(
      () => {
        forgetSession(thread.id);
        deleted();
      },
      (reason: unknown) => directory.setState({ trouble: problemOf(reason) }),
    );
  };
  return (
    <>
      <MenuButton
        label={t.threadMenu}
        items={[
          ...(can
            ? [{ label: t.pageCommands.find, icon: <TextSearch size={15} />, choose: () => run("find") }]
            : []),
          ...(chats
            ? [{ label: t.rename, icon: <Pencil size={15} />, choose: () => setRenaming(true) }]
            : []),
          ...(["markdown", "json"] as const).map((kind) => ({
            label: t.exportAs[kind],
            icon: <FileDown size={15} />,
            choose: () =>
              Object.assign(document.createElement("a"), {
                href: threadExport(thread.id, kind),
                download: "",
              }).click(),
          })),
          ...(manages
            ? [{ label: t.botSettings, icon: <Settings size={15} />, choose: openBotSettings }]
            : []),
          ...(chats
            ? [{ label: t.deleteThread, icon: <Trash2 size={15} />, bad: true, choose: remove }]
            : []),
        ]}
      >
        <Ellipsis size={18} aria-hidden="true" />
      </MenuButton>
      {renaming && (
        <LazyPart close={close}>
          <RenameDialog thread={thread} close={close} done={close} />
        </LazyPart>
      )}
    </>
  );
}

interface EmptyProps {
  bot: Bot;
  take: (text: string) => void;
  openBotSettings: () => void;
}

function Empty({ bot, take, openBotSettings }: EmptyProps) {
  const t = useText();
  const manual = bot.model.provider === "manual";
  const chats = useMay("chat");
  const manages = useMay("manage");
  return (
    <>
      <h2>{t.emptyTitle(bot.name)}</h2>
      <p>{manual ? t.emptyManual : t.emptyModel}</p>
      {chats && <FirstSteps manual={manual} take={take} />}
      {manual && manages && (
        <div className={css.tries}>
          <Button look="quiet" onClick={openBotSettings}>
            <Settings size={15} aria-hidden="true" />
            {t.chooseModel}
          </Button>
        </div>
      )}
    </>
  );
}

export function ThreadPage({ thread, bot, openRail, openBotSettings, deleted }: ThreadPageProps) {
  const t = useText();
  const session = useSession(thread.id);
  const chats = useMay("chat");
  const known = useStore(directory, (all) => all.owner !== null);
  const [, navigate] = useLocation();
  const target = new URLSearchParams(useSearch()).get("at");
  const { computer, run } = useSyncExternalStore(session.store.onFacts, session.store.facts);
  const reaches = useReaches();
  const manual = bot.model.provider === "manual";
  const title = thread.title || t.untitled;
  const begun = useStore(takenSteps, (all) => leftOf(all.taken).length > 0) && thread.head_seq > 0;
  const take = useCallback((text: string) => sendMessage(thread.id, text, []), [thread.id]);

  const stops = chats && reaches && runIsActive(run) && run !== null;
  useCommand("stop", stops ? () => void stopRun(run.id) : null);
  useEffect(() => {
    document.title = `${title} · Berth`;
  }, [title]);

  const actions = useMemo<CardActions>(
    () => ({
      retry: (clientId) => outbox.retry(clientId),
      discard: (clientId) => session.discard(clientId),
      branch: async (branch) => {
        const made = await branchThread(thread.id, branch);
        navigate(`/t/${made.id}`);
      },
      quote: (text) => insert(thread.id, quoted(text)),
      resume: (text) => sendMessage(thread.id, text, []),
      openBotSettings,
    }),
    [session, thread.id, openBotSettings, navigate],
  );

  return (
    <>
      <Header title={title} below={bot.name} openRail={openRail}>
        {computer !== null && <ComputerButton computer={computer} />}
        <ThreadMenu thread={thread} openBotSettings={openBotSettings} deleted={deleted} />
      </Header>
      <DropZone threadId={thread.id}>
        <Conversation
          session={session}
          actions={actions}
          target={target}
          empty={<Empty bot={bot} take={take} openBotSettings={openBotSettings} />}
        />
        <Activity session={session} />
        {chats && begun && (
          <LazyPart instead={null}>
            <NextSteps manual={manual} busy={runIsActive(run)} take={take} />
          </LazyPart>
        )}
        {chats ? (
          <Composer threadId={thread.id} bot={bot} busy={runIsActive(run)} />
        ) : (
          known && <p className={css.reads}>{t.members.readsOnly}</p>
        )}
      </DropZone>
      <Announcer store={session.store} />
    </>
  );
}
