/** One thread: what was said and done, what is going on, and where to write. */
import { Ellipsis, FileDown, Pencil, Settings, Trash2 } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { useLocation, useSearch } from "wouter";
import { threadExport } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { branchThread, directory, removeThread } from "../app/directory.ts";
import { enter, forgetSession, outbox, sendMessage, sessionOf } from "../app/sessions.ts";
import type { Bot, Thread } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { runIsActive } from "../stream/record.ts";
import type { ThreadSession } from "../stream/thread-session.ts";
import { Button } from "../ui/Button.tsx";
import { MenuButton } from "../ui/MenuButton.tsx";
import { Activity } from "./Activity.tsx";
import { Announcer } from "./Announcer.tsx";
import { Composer } from "./Composer.tsx";
import { ComputerButton } from "./ComputerButton.tsx";
import css from "./Conversation.module.css";
import { Conversation } from "./Conversation.tsx";
import { DropZone } from "./DropZone.tsx";
import { Header } from "./Header.tsx";
import { proposals } from "./proposals.ts";
import type { CardActions } from "./Row.tsx";

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
          { label: t.rename, icon: <Pencil size={15} />, choose: () => setRenaming(true) },
          ...(["markdown", "json"] as const).map((kind) => ({
            label: t.exportAs[kind],
            icon: <FileDown size={15} />,
            choose: () =>
              Object.assign(document.createElement("a"), {
                href: threadExport(thread.id, kind),
                download: "",
              }).click(),
          })),
          { label: t.botSettings, icon: <Settings size={15} />, choose: openBotSettings },
          { label: t.deleteThread, icon: <Trash2 size={15} />, bad: true, choose: remove },
        ]}
      >
        <Ellipsis size={18} aria-hidden="true" />
      </MenuButton>
      <Suspense>{renaming && <RenameDialog thread={thread} close={close} done={close} />}</Suspense>
    </>
  );
}

function Empty({ bot, propose }: { bot: Bot; propose: (text: string) => void }) {
  const t = useText();
  const manual = bot.model.provider === "manual";
  return (
    <>
      <h2>{t.emptyTitle(bot.name)}</h2>
      <p>{manual ? t.emptyManual : t.emptyModel}</p>
      <div className={css.tries}>
        {proposals(manual, t).map(({ label, text }) => (
          <Button key={label} onClick={() => propose(text)}>
            {label}
          </Button>
        ))}
      </div>
    </>
  );
}

export function ThreadPage({ thread, bot, openRail, openBotSettings, deleted }: ThreadPageProps) {
  const t = useText();
  const session = useSession(thread.id);
  const [, navigate] = useLocation();
  const target = new URLSearchParams(useSearch()).get("at");
  const [proposal, setProposal] = useState<string | null>(null);
  const { computer, run } = useSyncExternalStore(session.store.onFacts, session.store.facts);
  const manual = bot.model.provider === "manual";
  const title = thread.title || t.untitled;

  useEffect(() => {
    document.title = `${title} · Berth`;
  }, [title]);

  const actions = useMemo<CardActions>(
    () => ({
      retry: (clientId) => outbox.retry(clientId),
      discard: (clientId) => session.discard(clientId),
      branch: (seq, text) => {
        branchThread(thread.id, text === undefined ? { seq } : { seq, text }).then(
          (made) => navigate(`/t/${made.id}`),
          (reason: unknown) => directory.setState({ trouble: problemOf(reason) }),
        );
      },
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
          empty={<Empty bot={bot} propose={setProposal} />}
        />
        <Activity session={session} />
        <Composer
          threadId={thread.id}
          manual={manual}
          busy={runIsActive(run)}
          placeholder={manual ? t.manualPlaceholder : t.messagePlaceholder(bot.name)}
          proposal={proposal}
        />
      </DropZone>
      <Announcer store={session.store} />
    </>
  );
}
