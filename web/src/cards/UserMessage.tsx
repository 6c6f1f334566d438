/** What a person wrote, and where it is on its way as long as it has not arrived. */
import clsx from "clsx";
import { CircleAlert, Clock, Paperclip, Pencil, RotateCcw } from "lucide-react";
import { stopRun } from "../app/stops.ts";
import { useText } from "../i18n/text.ts";
import type { UserCard } from "../stream/cards.ts";
import { Button } from "../ui/Button.tsx";
import { bytes } from "../ui/format.ts";
import { useKept } from "../ui/kept.ts";
import css from "./MessageCard.module.css";
import { scrollable } from "./Output.tsx";

export interface MessageActions {
  retry: (clientId: string) => void;
  discard: (clientId: string) => void;
  /** Sends the message at this place anew, in a thread of its own; the old one stays. */
  branch: (seq: number, text?: string) => void;
}

const COMMAND = /^\s*(\$|\/(read|write|export)\b)/;
const LONG = 2_000;

function Sending({ record, actions }: { record: UserCard; actions: MessageActions }) {
  const t = useText();
  if (record.send === "failed") {
    return (
      <span className={clsx(css.state, css.failed)} role="status">
        <CircleAlert size={14} aria-hidden="true" />
        {t.messageFailed}
        {record.problem !== null && ` · ${record.problem.message}`}
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
  return (
    <span className={css.state} data-queued>
      <Clock size={14} aria-hidden="true" />
      {t.inQueue}
      {runId !== null && (
        <Button look="quiet" onClick={() => void stopRun(runId)}>
          {t.takeBack}
        </Button>
      )}
    </span>
  );
}

function Again({ record, actions }: { record: UserCard; actions: MessageActions }) {
  const t = useText();
  const [text, setText] = useKept<string | null>(`edit:${record.key}`, null);
  const { seq } = record;
  if (seq === null) return null;
  if (text === null) {
    return (
      <span className={css.again}>
        <Button icon look="quiet" aria-label={t.editMessage} onClick={() => setText(record.text)}>
          <Pencil size={14} aria-hidden="true" />
        </Button>
        <Button icon look="quiet" aria-label={t.sendAgain} onClick={() => actions.branch(seq)}>
          <RotateCcw size={14} aria-hidden="true" />
        </Button>
      </span>
    );
  }
  return (
    <form
      className={css.edit}
      onSubmit={(event) => {
        event.preventDefault();
        setText(null);
        actions.branch(seq, text);
      }}
    >
      <textarea
        aria-label={t.editMessage}
        rows={Math.min(12, text.split("\n").length + 1)}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <span className={css.state}>
        {t.branchNote}
        <Button type="submit" look="primary" disabled={text.trim() === ""}>
          {t.send}
        </Button>
        <Button look="quiet" onClick={() => setText(null)}>
          {t.cancel}
        </Button>
      </span>
    </form>
  );
}

export function UserMessage({ record, actions }: { record: UserCard; actions: MessageActions }) {
  const t = useText();
  const unsent = record.send !== null;
  return (
    <div className={clsx(css.user, unsent && css.unsent)} data-card="user" data-send={record.send ?? "sent"}>
      <span className="aside-visually">{t.you}</span>
      {record.uploads.length > 0 && (
        <ul className={css.files}>
          {record.uploads.map((upload) => (
            <li key={upload.id} className={css.file} title={upload.path ?? upload.name}>
              <Paperclip size={13} aria-hidden="true" />
              <span>{upload.name}</span>
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
      {unsent && <Sending record={record} actions={actions} />}
      {!unsent && record.queued && <Queued runId={record.runId} />}
      {!unsent && !record.queued && <Again record={record} actions={actions} />}
    </div>
  );
}
