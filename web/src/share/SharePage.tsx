/** What another app shared, and where it is to go: into the composer of a new thread or of the last one. */
import { MessageSquare, Paperclip, SquarePen } from "lucide-react";
import { useEffect, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { useStore } from "zustand";
import { problemOf } from "../api/http.ts";
import { attach } from "../app/attachments.ts";
import { directory, openNewThread } from "../app/directory.ts";
import { useLacks, useMay } from "../app/rights.ts";
import { drafts } from "../app/storage.ts";
import { Problem } from "../cards/Problem.tsx";
import { useText } from "../i18n/text.ts";
import { Header } from "../thread/Header.tsx";
import { Button } from "../ui/Button.tsx";
import { bytes, visible } from "../ui/format.ts";
import css from "./SharePage.module.css";
import { forgetShared, readShared, type Shared } from "./shared.ts";

function Contents({ shared }: { shared: Shared }) {
  const t = useText();
  return (
    <div className={css.contents} role="group" aria-label={t.share.what}>
      {shared.text !== "" && (
        <p className={css.text} tabIndex={0} role="group" aria-label={t.share.text}>
          {shared.text}
        </p>
      )}
      {shared.files.length > 0 && (
        <ul>
          {shared.files.map((file) => (
            <li key={`${file.name}:${file.size}`}>
              <Paperclip size={13} aria-hidden="true" />
              <span>{visible(file.name)}</span>
              <small>{bytes(file.size)}</small>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Puts what was shared into a thread's composer, below what stands there already. */
function put(threadId: string, shared: Shared): void {
  const texts = [drafts.get(threadId), shared.text].filter((text) => text !== "");
  drafts.set(threadId, texts.join("\n"));
  attach(threadId, shared.files);
}

function Ways({ shared }: { shared: Shared }) {
  const t = useText();
  const { bots, threads, trouble } = useStore(directory);
  const [, navigate] = useLocation();
  const may = useMay("chat");
  const lacks = useLacks("chat");
  const last = may ? threads?.[0] : undefined;
  const into = (threadId: string) => {
    put(threadId, shared);
    void forgetShared();
    navigate(`/t/${threadId}`, { replace: true });
  };
  const intoNew = (botId: string) =>
    openNewThread(botId).then(
      (thread) => into(thread.id),
      (reason: unknown) => directory.setState({ trouble: problemOf(reason) }),
    );
  return (
    <>
      {lacks && <p>{t.members.readsOnly}</p>}
      <div className={css.ways}>
        {last !== undefined && (
          <Button look="primary" onClick={() => into(last.id)}>
            <MessageSquare size={15} aria-hidden="true" />
            {t.share.intoLast(last.title || t.untitled)}
          </Button>
        )}
        {(may ? bots : null)?.map((bot) => (
          <Button
            key={bot.id}
            look={last === undefined ? "primary" : "outline"}
            onClick={() => void intoNew(bot.id)}
          >
            <SquarePen size={15} aria-hidden="true" />
            {t.newThreadWith(bot.name)}
          </Button>
        ))}
        <Button
          look="quiet"
          onClick={() => {
            void forgetShared();
            navigate("/", { replace: true });
          }}
        >
          {t.discard}
        </Button>
      </div>
      {trouble !== null && <Problem problem={trouble} />}
    </>
  );
}

export default function SharePage({ openRail }: { openRail: () => void }) {
  const t = useText();
  const lost = new URLSearchParams(useSearch()).get("lost");
  const [shared, setShared] = useState<Shared | null | "reading">("reading");
  useEffect(() => {
    document.title = `${t.share.title} · Berth`;
    readShared().then(setShared, () => setShared(null));
  }, [t]);
  return (
    <>
      <Header title={t.share.title} openRail={openRail} />
      <div className={css.page}>
        {lost !== null && <p role="alert">{lost === "some" ? t.share.lostSome : t.share.lostAll}</p>}
        {shared === null && lost === null && <p>{t.share.nothing}</p>}
        {shared !== null && shared !== "reading" && (
          <>
            <h2>{t.share.where}</h2>
            <Contents shared={shared} />
            <Ways shared={shared} />
            <p className={css.hint}>{t.share.hint}</p>
          </>
        )}
      </div>
    </>
  );
}
