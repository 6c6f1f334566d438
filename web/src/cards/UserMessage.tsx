/** What a person wrote, and where it is on its way as long as it has not arrived. */

import clsx from "clsx";
import { CircleAlert, Clock, Paperclip, Pencil, RotateCcw } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useMay } from "../app/rights.ts";
import { stopRun } from "../app/stops.ts";
import type { BranchCreate } from "../contracts.ts";
import { useSaid } from "../i18n/reasons/use-sentences.ts";
import { useText } from "../i18n/text.ts";
import type { UserCard } from "../stream/cards.ts";
import { shownChoice } from "../thread/message-model.ts";
import { useAttempt } from "../trading/attempt.ts";
import { Button } from "../ui/Button.tsx";
import { bytes, visible } from "../ui/format.ts";
import { useKept } from "../ui/kept.ts";
import { artifactKind } from "./artifact-kind.ts";
import css from "./MessageCard.module.css";
import { MessageTools } from "./MessageTools.tsx";
import { scrollable } from "./Output.tsx";
import { Problem } from "./Problem.tsx";

const SentPictures = lazy(() => import("./SentPictures.tsx"));

export interface MessageActions {
  retry: (clientId: string) => void;
  discard: (clientId: string) => void;
  /** Sends the message at this place anew, in a thread of its own; the old one stays. Rejects where none was made. */
  branch: (branch: BranchCreate) => Promise<void>;
  /** Puts the words into the composer as a quotation. */
  quote: (text: string) => void;
}

const COMMAND = /^\s*(\$|\/(read|write|edit|export|orders)\b)/;
const LONG = 2_000;

function Sending({ record, actions }: { record: UserCard; actions: MessageActions }) {
  const t = useText();
  const may = useMay("chat");
  const saidOf = useSaid();
  if (record.send === "failed" && may) {
    return (
      <span className={clsx(css.state, css.failed)} role="status">
        <CircleAlert size={14} aria-hidden="true" />
        {t.messageFailed}
        {record.problem !== null && ` · ${saidOf(record.problem)}`}
        <Button look="quiet" onClick={() => actions.retry(record.key)}>
          {t.retry}
        </Button>
        <Button look="quiet" onClick={() => actions.discard(record.key)}>
          {t.discard}
        </Button>
      </span>
    );
  }
  return <span className={css.state}>{record.send === "queued" ? t.messageQueued : t.messageSending}</span>;
}

function Queued({ runId }: { runId: string | null }) {
  const t = useText();
  const may = useMay("chat");
  return (
    <span className={css.state} data-queued>
      <Clock size={14} aria-hidden="true" />
      {t.inQueue}
      {runId !== null && may && (
        <Button look="quiet" onClick={() => void stopRun(runId)}>
          {t.takeBack}
        </Button>
      )}
    </span>
  );
}

/**
 * Makes one branch at a time. What did not arrive for sure keeps its id, so that sending it once more makes no second
 * one.
 */
function useBranching(seq: number | null, { branch }: MessageActions) {
  const { busy, problem, attempt } = useAttempt();
  const begun = useRef<BranchCreate | null>(null);
  const send = async (text?: string): Promise<boolean> => {
    if (busy || seq === null) return false;
    if (begun.current === null || begun.current.text !== text)
      begun.current = { client_id: crypto.randomUUID(), seq, ...(text === undefined ? {} : { text }) };
    const wanted = begun.current;
    return attempt(async () => {
      await branch(wanted);
      begun.current = null;
    });
  };
  return { busy, problem, send };
}

function Again({ record, actions }: { record: UserCard; actions: MessageActions }) {
  const t = useText();
  const [text, setText] = useKept<string | null>(`edit:${record.key}`, null);
  const { seq } = record;
  const may = useMay("chat");
  const { busy, problem, send } = useBranching(seq, actions);
  const pencil = useRef<HTMLButtonElement>(null);
  // Whoever opened it by the keyboard goes on in it, and afterwards where they were. A row that comes into view takes no focus.
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    if (opened && text === null) pencil.current?.focus();
  }, [opened, text]);
  if (seq === null) return null;
  const trouble = problem !== null && <Problem problem={problem} />;
  if (text === null || !may) {
    return (
      <>
        <span className={css.again}>
          <MessageTools text={record.text} quote={actions.quote} />
          {may && (
            <>
              <Button
                icon
                look="quiet"
                ref={pencil}
                aria-label={t.editMessage}
                onClick={() => {
                  setOpened(true);
                  setText(record.text);
                }}
              >
                <Pencil size={14} aria-hidden="true" />
              </Button>
              <Button icon look="quiet" aria-label={t.sendAgain} disabled={busy} onClick={() => void send()}>
                <RotateCcw size={14} aria-hidden="true" />
              </Button>
            </>
          )}
        </span>
        {trouble}
      </>
    );
  }
  return (
    <form
      className={css.edit}
      onSubmit={(event) => {
        event.preventDefault();
        // Until it has arrived, what was written stays.
        void send(text).then((sent) => sent && setText(null));
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
        event.stopPropagation();
        setText(null);
      }}
    >
      <textarea
        aria-label={t.editMessage}
        // biome-ignore lint/a11y/noAutofocus: only right after the person asked for it
        autoFocus={opened}
        rows={Math.min(12, text.split("\n").length + 1)}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <span className={css.state}>
        {t.branchNote}
        <Button type="submit" look="primary" disabled={busy || text.trim() === ""}>
          {t.send}
        </Button>
        <Button look="quiet" onClick={() => setText(null)}>
          {t.cancel}
        </Button>
      </span>
      {trouble}
    </form>
  );
}

export function UserMessage({ record, actions }: { record: UserCard; actions: MessageActions }) {
  const t = useText();
  const unsent = record.send !== null;
  const chosen = shownChoice(record, t.efforts);
  const pictures = record.uploads.filter((upload) => artifactKind(upload) === "image");
  return (
    <div className={clsx(css.user, unsent && css.unsent)} data-card="user" data-send={record.send ?? "sent"}>
      <span className="aside-visually">{t.you}</span>
      {pictures.length > 0 && (
        <Suspense fallback={<div className={css.pictures} />}>
          <SentPictures pictures={pictures} />
        </Suspense>
      )}
      {record.uploads.length > 0 && (
        <ul className={css.files}>
          {record.uploads.map((upload) => (
            <li key={upload.id} className={css.file} title={visible(upload.path ?? upload.name)}>
              <Paperclip size={13} aria-hidden="true" />
              <span>{visible(upload.name)}</span>
              <small>{bytes(upload.size)}</small>
            </li>
          ))}
        </ul>
      )}
      {record.text !== "" && (
        <div
          className={clsx(
            css.bubble,
            COMMAND.test(record.text) && css.command,
            record.text.length > LONG && css.long,
          )}
          {...(record.text.length > LONG ? scrollable(t.message) : {})}
        >
          {record.text}
        </div>
      )}
      {chosen !== null && <span className={css.state}>{t.messageFor(chosen)}</span>}
      {unsent && <Sending record={record} actions={actions} />}
      {!unsent && record.queued && <Queued runId={record.runId} />}
      {!unsent && !record.queued && <Again record={record} actions={actions} />}
    </div>
  );
}
