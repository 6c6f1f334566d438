/**
 * The rows in view, out of as many as there are, pinned to the end while the reader is there.
 *
 * Whoever has scrolled up keeps their place whatever arrives; a small pill leads back to the end.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { useText } from "../i18n/text.ts";
import type { ThreadSession } from "../stream/thread-session.ts";
import { Button } from "../ui/Button.tsx";
import css from "./Conversation.module.css";
import { type CardActions, Row } from "./Row.tsx";

const GAP = 16;
const EDGE = 20;
const ESTIMATE = 120;
const AT_END = 80;

interface ConversationProps {
  session: ThreadSession;
  actions: CardActions;
  /** The card that is to be in view and marked, where a search led here. */
  target: string | null;
  empty: ReactNode;
}

export function Conversation({ session, actions, target, empty }: ConversationProps) {
  const t = useText();
  const order = useSyncExternalStore(session.store.onOrder, session.store.order);
  const { caughtUp } = useSyncExternalStore(session.store.onFacts, session.store.facts);
  if (!caughtUp) {
    return (
      <div className={css.frame}>
        <div className={css.center}>
          <p className={css.late}>{t.loading}</p>
        </div>
      </div>
    );
  }
  if (order.length === 0) {
    return (
      <div className={css.frame}>
        <div className={css.center}>{empty}</div>
      </div>
    );
  }
  return <Rows session={session} order={order} actions={actions} target={target} />;
}

interface RowsProps {
  session: ThreadSession;
  order: readonly string[];
  actions: CardActions;
  target: string | null;
}

function Rows({ session, order, actions, target }: RowsProps) {
  const t = useText();
  const scroll = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const virtual = useVirtualizer({
    count: order.length,
    getScrollElement: () => scroll.current,
    getItemKey: (index) => order[index] ?? index,
    estimateSize: () => ESTIMATE,
    overscan: 6,
    gap: GAP,
    paddingStart: EDGE,
    paddingEnd: EDGE,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: AT_END,
  });

  useLayoutEffect(() => {
    const place = target === null ? -1 : session.store.order().indexOf(target);
    if (place >= 0) virtual.scrollToIndex(place, { align: "center" });
    else virtual.scrollToEnd();
  }, [virtual, target, session]);
  useFollowOwnMessage(session, order, () => virtual.scrollToEnd());

  return (
    <div className={css.frame}>
      {/* Rows come into view by scrolling too, so the log itself stays silent; the announcer speaks. */}
      <div
        ref={scroll}
        className={css.scroll}
        role="log"
        aria-live="off"
        aria-label={t.conversation}
        tabIndex={0}
        onScroll={(event) => {
          const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
          setAway(scrollHeight - scrollTop - clientHeight > AT_END);
        }}
      >
        <div className={css.list} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => (
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              data-found={item.key === target || undefined}
              className={css.row}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <Row store={session.store} id={String(item.key)} actions={actions} />
            </div>
          ))}
        </div>
      </div>
      {away && (
        <Button className={css.latest} onClick={() => virtual.scrollToEnd()}>
          <ArrowDown size={14} aria-hidden="true" />
          {t.latest}
        </Button>
      )}
    </div>
  );
}

/** Whoever sends a message wants to see it and what comes of it. */
function useFollowOwnMessage(session: ThreadSession, order: readonly string[], follow: () => void): void {
  const last = order.at(-1);
  const known = useRef(last);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new last row is a reason to move
  useEffect(() => {
    const card = last === undefined ? undefined : session.store.card(last);
    if (last !== known.current && card?.kind === "user" && card.send !== null) follow();
    known.current = last;
  }, [last, session]);
}
