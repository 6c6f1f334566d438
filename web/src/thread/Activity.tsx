/**
 * One line between the conversation and the composer that says what is going on at this moment: the way to
 * the server, the computer waking, the bot at work. Its height is kept, so nothing moves when it is empty.
 */
import { useEffect, useState, useSyncExternalStore } from "react";
import { useInTouch, useReaches } from "../app/contact.ts";
import { stopRun } from "../app/stops.ts";
import { StopButton } from "../cards/StopButton.tsx";
import type { Usage } from "../contracts.ts";
import { useLanguage, useText } from "../i18n/text.ts";
import { runIsActive, SLOW_START_MS } from "../stream/record.ts";
import type { ThreadSession } from "../stream/thread-session.ts";
import { Button } from "../ui/Button.tsx";
import { ToneIcon } from "../ui/Chip.tsx";
import { useNow } from "../ui/clock.ts";
import { count, elapsed, moment } from "../ui/format.ts";
import css from "./Activity.module.css";

/** Whether something has been so for a while: short outages are not worth a word. */
function useLasting(is: boolean, ms: number): boolean {
  const [lasting, setLasting] = useState(false);
  useEffect(() => {
    if (!is) return setLasting(false);
    const timer = setTimeout(() => setLasting(true), ms);
    return () => clearTimeout(timer);
  }, [is, ms]);
  return is && lasting;
}

/** What the last run has cost, in tokens. */
function Spent({ usage }: { usage: Usage }) {
  const t = useText();
  const { locale } = useLanguage();
  return <span>{t.tokens(count(usage.input ?? 0, locale), count(usage.output ?? 0, locale))}</span>;
}

export function Activity({ session }: { session: ThreadSession }) {
  const { text: t, locale } = useLanguage();
  const connection = useSyncExternalStore(session.onState, session.state);
  const { run, computer, keptMs } = useSyncExternalStore(session.store.onFacts, session.store.facts);
  const active = runIsActive(run);
  const starting = active && computer?.state === "starting";
  const now = useNow(starting);
  const cutOff = !useInTouch();
  const reaches = useReaches();
  const slow = useLasting(starting, SLOW_START_MS);
  return (
    <div className={css.activity} data-connection={connection}>
      <div className={css.line} role="status">
        {connection === "outdated" ? (
          <span>
            {t.outdated}{" "}
            <Button look="quiet" onClick={() => location.reload()}>
              {t.reload}
            </Button>
          </span>
        ) : cutOff ? (
          <span>
            {t.reconnecting}{" "}
            {keptMs !== null
              ? t.keptAt(moment(keptMs, Date.now(), locale))
              : active && (reaches ? t.shownAsLastSeen : t.cannotStop)}
          </span>
        ) : slow ? (
          <span className={css.doing}>
            <ToneIcon tone="running" />
            {t.waking(elapsed(now - (computer?.since_ms ?? now)))}
          </span>
        ) : active ? (
          <span className={css.doing}>
            <ToneIcon tone="running" />
            {run?.reason === "computer_busy"
              ? t.waitingForSlot
              : run?.state === "queued"
                ? t.queued
                : t.working}
          </span>
        ) : null}
      </div>
      {!active && run?.usage && <Spent usage={run.usage} />}
      {active && run !== null && <StopButton id={run.id} stop={stopRun} label={t.stopRun} quiet />}
    </div>
  );
}
