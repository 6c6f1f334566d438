/**
 * Where a person writes. Enter sends and Shift+Enter makes a line, but an Enter that ends the choice of a
 * character in an input method does neither. What is written stays with its thread until it is sent.
 */
import clsx from "clsx";
import { ArrowUp, ListEnd, Paperclip } from "lucide-react";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  lazy,
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useStore } from "zustand";
import {
  type Attachment,
  attach,
  attachments,
  attachmentsOf,
  detach,
  detachAll,
  UPLOADS_A_MESSAGE,
} from "../app/attachments.ts";
import { sendMessage } from "../app/sessions.ts";
import { drafts } from "../app/storage.ts";
import { useLanguage } from "../i18n/text.ts";
import type { During } from "../stream/outbox.ts";
import { Button } from "../ui/Button.tsx";
import { count } from "../ui/format.ts";
import css from "./Composer.module.css";

const AttachmentList = lazy(() => import("./AttachmentList.tsx"));

const CHARACTERS_MAX = 200_000;

/** What older browsers report for a key that an input method has taken. */
const TAKEN_BY_INPUT_METHOD = 229;

export interface ComposerProps {
  threadId: string;
  manual: boolean;
  /** Whether a run is under way: then what is written can reach it, or wait for its end. */
  busy: boolean;
  placeholder: string;
  /** A text that something else on the page proposes; put in place of an empty draft. */
  proposal: string | null;
}

function sendsOnEnter(event: KeyboardEvent): boolean {
  const { isComposing, keyCode } = event.nativeEvent;
  return event.key === "Enter" && !event.shiftKey && !isComposing && keyCode !== TAKEN_BY_INPUT_METHOD;
}

/** `later`: it may be sent as soon as its files have arrived. */
function readiness(text: string, files: readonly Attachment[]): "now" | "later" | "no" {
  const empty = text.trim() === "" && files.length === 0;
  const stuck = files.some((file) => file.problem !== null || file.stage === "lost");
  if (empty || stuck || text.length > CHARACTERS_MAX) return "no";
  return files.every((file) => file.upload !== null) ? "now" : "later";
}

function useGrowing(text: string) {
  const area = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const element = area.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);
  return area;
}

export function Composer({ threadId, manual, busy, placeholder, proposal }: ComposerProps) {
  const { text: t, locale } = useLanguage();
  const [text, setText] = useState(() => drafts.get(threadId));
  const [refused, setRefused] = useState(0);
  const files = useStore(attachments, (all) => attachmentsOf(all, threadId));
  const area = useGrowing(text);
  const picker = useRef<HTMLInputElement>(null);
  const ready = readiness(text, files);
  const [wanted, setWanted] = useState<During | null>(null);

  const write = (next: string) => {
    setText(next);
    drafts.set(threadId, next);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: a proposal is taken once, when it is made
  useEffect(() => {
    if (proposal === null) return;
    write(proposal);
    area.current?.focus();
  }, [proposal]);

  useEffect(() => {
    // On a touch screen the keyboard would cover the conversation; a dialog that was opened meanwhile keeps it.
    const taken = document.querySelector("[role=dialog]") !== null;
    if (matchMedia("(pointer: fine)").matches && !taken) area.current?.focus();
  }, [area]);

  const add = (chosen: Iterable<File>) => setRefused(attach(threadId, [...chosen]));

  const send = (how: During = "steer") => {
    setWanted(ready === "later" ? how : null);
    if (ready !== "now") return;
    sendMessage(
      threadId,
      text,
      files.flatMap((file) => file.upload ?? []),
      how,
    );
    write("");
    setRefused(0);
    detachAll(threadId);
    area.current?.focus();
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the files' arrival is the only reason
  useEffect(() => {
    if (wanted !== null) send(wanted);
  }, [ready]);

  const paste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add(event.clipboardData.files);
  };

  return (
    <form
      className={css.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className={css.box}>
        {files.length > 0 && (
          <Suspense>
            <AttachmentList
              files={files}
              remove={(id) => detach(threadId, id)}
              choose={() => picker.current?.click()}
            />
          </Suspense>
        )}
        {refused > 0 && (
          <p className={css.warning} role="alert">
            {t.tooManyFiles(UPLOADS_A_MESSAGE)}
          </p>
        )}
        {text.length > CHARACTERS_MAX && (
          <p className={css.warning} role="alert">
            {t.messageTooLong(count(text.length - CHARACTERS_MAX, locale))}
          </p>
        )}
        <div className={css.bottom}>
          <Button
            icon
            look="quiet"
            className={css.attach}
            aria-label={t.attach}
            onClick={() => picker.current?.click()}
          >
            <Paperclip size={18} aria-hidden="true" />
          </Button>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              add(event.target.files ?? []);
              event.target.value = "";
            }}
          />
          <textarea
            ref={area}
            className={clsx(css.text, manual && css.mono)}
            rows={1}
            value={text}
            aria-label={t.message}
            placeholder={placeholder}
            enterKeyHint="send"
            autoCapitalize={manual ? "off" : "sentences"}
            spellCheck={!manual}
            onChange={(event) => write(event.target.value)}
            onPaste={paste}
            onKeyDown={(event) => {
              if (!sendsOnEnter(event)) return;
              event.preventDefault();
              send(event.altKey && busy ? "queue" : "steer");
            }}
          />
          {busy && (
            <Button
              icon
              look="quiet"
              className={css.send}
              disabled={ready === "no" || wanted !== null}
              aria-label={t.sendAfter}
              onClick={() => send("queue")}
            >
              <ListEnd size={18} aria-hidden="true" />
            </Button>
          )}
          <Button
            type="submit"
            icon
            look="primary"
            className={css.send}
            disabled={ready === "no" || wanted !== null}
            aria-label={t.send}
          >
            <ArrowUp size={18} aria-hidden="true" />
          </Button>
        </div>
      </div>
    </form>
  );
}
