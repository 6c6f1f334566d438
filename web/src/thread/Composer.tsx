/**
 * Where a person writes. Enter sends and Shift+Enter makes a line, but an Enter that ends the choice of a
 * character in an input method does neither. What is written stays with its thread until it is sent.
 */

import clsx from "clsx";
import { ArrowUp, ListEnd, Paperclip, SlidersHorizontal, X } from "lucide-react";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  lazy,
  type RefObject,
  useEffect,
  useId,
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
import { useCommand } from "../app/commands.ts";
import { insertion, joined } from "../app/composing.ts";
import { sendMessage } from "../app/sessions.ts";
import { drafts } from "../app/storage.ts";
import type { Bot } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import type { During } from "../stream/outbox.ts";
import { Button } from "../ui/Button.tsx";
import { choiceId } from "../ui/Choices.tsx";
import { count } from "../ui/format.ts";
import { LazyPart } from "../ui/LazyPart.tsx";
import css from "./Composer.module.css";
import type { Completed } from "./completion.ts";
import { AS_THE_BOT, hasModels, shownChoice } from "./message-model.ts";
import { recognition } from "./speech.ts";
import { useCompletion } from "./use-completion.ts";

const AttachmentList = lazy(() => import("./AttachmentList.tsx"));
const CompletionList = lazy(() => import("./CompletionList.tsx"));
const MessageModel = lazy(() => import("./MessageModel.tsx"));
const Dictation = lazy(() => import("./Dictation.tsx"));

const CHARACTERS_MAX = 200_000;
const DICTATES = recognition() !== null;

/** What older browsers report for a key that an input method has taken. */
const TAKEN_BY_INPUT_METHOD = 229;

export interface ComposerProps {
  threadId: string;
  bot: Bot;
  /** Whether a run is under way: then what is written can reach it, or wait for its end. */
  busy: boolean;
}

function inputMethodHas(event: KeyboardEvent): boolean {
  const { isComposing, keyCode } = event.nativeEvent;
  return isComposing || keyCode === TAKEN_BY_INPUT_METHOD;
}

/** `later`: it may be sent as soon as its files have arrived. */
function readiness(text: string, files: readonly Attachment[]): "now" | "later" | "no" {
  const empty = text.trim() === "" && files.length === 0;
  const stuck = files.some((file) => file.problem !== null || file.stage === "lost");
  if (empty || stuck || text.length > CHARACTERS_MAX) return "no";
  return files.every((file) => file.upload !== null) ? "now" : "later";
}

/** The draft of a thread with the place of the caret, in a field that grows with it. */
function useDraft(threadId: string) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [{ text, caret }, setDraft] = useState<Completed>(() => {
    const kept = drafts.get(threadId);
    return { text: kept, caret: kept.length };
  });
  const wanted = useRef<number | null>(null);

  const write = (next: Completed) => {
    setDraft(next);
    drafts.set(threadId, next.text);
  };
  /** Writes what nobody typed: the caret is put where it belongs. */
  const put = (next: Completed) => {
    wanted.current = next.caret;
    write(next);
    area.current?.focus();
  };
  const moveCaret = (to: number) => setDraft((before) => ({ ...before, caret: to }));

  useLayoutEffect(() => {
    const element = area.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
    if (element.value !== text || wanted.current === null) return;
    element.setSelectionRange(wanted.current, wanted.current);
    wanted.current = null;
  }, [text]);
  useInsertions(threadId, put);
  return { area, text, caret, write, put, moveCaret };
}

/** Takes over what was put into the draft from elsewhere, and goes on writing behind it. */
function useInsertions(threadId: string, put: (next: Completed) => void): void {
  const newest = useRef(put);
  useEffect(() => {
    newest.current = put;
  });
  useEffect(
    () =>
      insertion.subscribe(({ wanted }) => {
        if (wanted?.threadId !== threadId) return;
        const text = drafts.get(threadId);
        newest.current({ text, caret: text.length });
      }),
    [threadId],
  );
}

function useFocusAtFirst(area: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    // On a touch screen the keyboard would cover the conversation; a dialog that was opened meanwhile keeps it.
    const taken = document.querySelector("[role=dialog]") !== null;
    if (matchMedia("(pointer: fine)").matches && !taken) area.current?.focus();
  }, [area]);
}

export function Composer({ threadId, bot, busy }: ComposerProps) {
  const { text: t, locale } = useLanguage();
  const manual = bot.model.provider === "manual";
  const { area, text, caret, write, put, moveCaret } = useDraft(threadId);
  const [refused, setRefused] = useState(0);
  const files = useStore(attachments, (all) => attachmentsOf(all, threadId));
  const picker = useRef<HTMLInputElement>(null);
  const sliders = useRef<HTMLButtonElement>(null);
  const ready = readiness(text, files);
  const [wanted, setWanted] = useState<During | null>(null);
  const [choice, setChoice] = useState(AS_THE_BOT);
  const [choosing, setChoosing] = useState(false);
  const [spoken, setSpoken] = useState<string | null>(null);
  const completion = useCompletion({ text, caret, manual, write: put });
  const list = useId();
  const open = completion.offers.length > 0;
  const chosen = hasModels(bot) ? shownChoice(choice, t.efforts) : null;
  useFocusAtFirst(area);

  const add = (picked: Iterable<File>) => setRefused(attach(threadId, [...picked]));
  useCommand("compose", () => area.current?.focus());
  useCommand("attach", () => picker.current?.click());
  useCommand("model", hasModels(bot) ? () => setChoosing(true) : null);

  const send = (how: During = "steer") => {
    setWanted(ready === "later" ? how : null);
    if (ready !== "now") return;
    sendMessage(
      threadId,
      text,
      files.flatMap((file) => file.upload ?? []),
      { during: how, ...(hasModels(bot) ? choice : AS_THE_BOT) },
    );
    put({ text: "", caret: 0 });
    setRefused(0);
    setChoice(AS_THE_BOT);
    detachAll(threadId);
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

  const press = (event: KeyboardEvent) => {
    if (inputMethodHas(event) || completion.press(event)) return;
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    send(event.altKey && busy ? "queue" : "steer");
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
        {open && (
          <LazyPart instead={null}>
            <CompletionList id={list} completion={completion} />
          </LazyPart>
        )}
        {files.length > 0 && (
          <LazyPart>
            <AttachmentList
              files={files}
              remove={(id) => detach(threadId, id)}
              choose={() => picker.current?.click()}
            />
          </LazyPart>
        )}
        {/* Nothing moves while it is being chosen, and nothing lies half under the choice. */}
        {chosen !== null && !choosing && (
          <p className={css.choice}>
            {t.messageFor(chosen)}
            <Button icon look="quiet" aria-label={t.asTheBot} onClick={() => setChoice(AS_THE_BOT)}>
              <X size={14} aria-hidden="true" />
            </Button>
          </p>
        )}
        <p className={css.spoken} role="status">
          {spoken}
        </p>
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
          {hasModels(bot) && (
            <Button
              ref={sliders}
              icon
              look="quiet"
              className={css.attach}
              aria-label={t.pageCommands.model}
              aria-haspopup="dialog"
              aria-expanded={choosing}
              onClick={() => setChoosing(true)}
            >
              <SlidersHorizontal size={18} aria-hidden="true" />
            </Button>
          )}
          <textarea
            ref={area}
            className={clsx(css.text, manual && css.mono)}
            rows={1}
            value={text}
            aria-label={t.message}
            aria-autocomplete="list"
            aria-controls={open ? list : undefined}
            aria-activedescendant={open ? choiceId(list, completion.active) : undefined}
            placeholder={manual ? t.manualPlaceholder : t.messagePlaceholder(bot.name)}
            enterKeyHint="send"
            autoCapitalize={manual ? "off" : "sentences"}
            spellCheck={!manual}
            onChange={({ target }) => write({ text: target.value, caret: target.selectionEnd })}
            onSelect={({ currentTarget }) => moveCaret(currentTarget.selectionEnd)}
            onPaste={paste}
            onKeyDown={press}
          />
          {DICTATES && (
            <LazyPart instead={null}>
              <Dictation
                tell={setSpoken}
                add={(said) => {
                  const next = joined(drafts.get(threadId), said);
                  put({ text: next, caret: next.length });
                }}
              />
            </LazyPart>
          )}
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
      {choosing && (
        <LazyPart close={() => setChoosing(false)}>
          <MessageModel
            bot={bot}
            anchor={sliders}
            choice={choice}
            change={setChoice}
            close={() => setChoosing(false)}
          />
        </LazyPart>
      )}
    </form>
  );
}
