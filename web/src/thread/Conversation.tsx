/**
 * The rows in view, out of as many as there are, pinned to the end while the reader is there.
 *
 * Whoever has scrolled up keeps their place whatever arrives; a small pill leads back to the end.
 */

import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import {
  lazy,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { run, useCommand } from "../app/commands.ts";
import { useInTouch } from "../app/contact.ts";
import { useText } from "../i18n/text.ts";
import type { ThreadSession } from "../stream/thread-session.ts";
import { Button } from "../ui/Button.tsx";
import { LazyPart } from "../ui/LazyPart.tsx";
import css from "./Conversation.module.css";
import { type CardActions, Row } from "./Row.tsx";
import { firstNew, useReading } from "./use-reading.ts";

const FindBar = lazy(() => import("./FindBar.tsx"));

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
  const { caughtUp, keptMs } = useSyncExternalStore(session.store.onFacts, session.store.facts);
  const inTouch = useInTouch();
  // Without a server there is what was known, and what waits to be sent.
  const nothing = keptMs === null && (inTouch || order.length === 0 || session.cursor > 0);
  if (!caughtUp && nothing) {
    return (
      <div className={css.frame}>
        <div className={css.center}>
          <p className={css.late}>{inTouch || session.cursor > 0 ? t.loading : t.notKept}</p>
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
  const [finding, setFinding] = useState(false);
  const [found, setFound] = useState<string | null>(null);
  const marked = found ?? target;
  const mark = useReading(session, order, !away);
  const news = useMemo(() => firstNew(session, order, mark), [session, order, mark]);
  const below = useArrivedBelow(order, away);
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
  useStayAtEnd(scroll, away, () => virtual.scrollToEnd());
  useFollowOwnMessage(session, order, () => virtual.scrollToEnd());
  useCommand("latest", () => virtual.scrollToEnd());
  // The browser's own search is a second press away; it finds only what is in view.
  useCommand("find", finding ? null : () => setFinding(true));

  const show = useCallback(
    (key: string | null) => {
      setFound(key);
      const place = key === null ? -1 : session.store.order().indexOf(key);
      if (place >= 0) virtual.scrollToIndex(place, { align: "center" });
    },
    [virtual, session],
  );

  return (
    <div className={css.frame}>
      {finding && (
        <LazyPart close={() => setFinding(false)}>
          <FindBar
            session={session}
            order={order}
            rows={scroll}
            show={show}
            close={() => {
              setFinding(false);
              run("compose");
            }}
          />
        </LazyPart>
      )}
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
              data-found={item.key === marked || undefined}
              className={css.row}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {item.key === news && (
                <p className={css.news} data-news>
                  {t.newHere}
                </p>
              )}
              <Row store={session.store} id={String(item.key)} actions={actions} />
            </div>
          ))}
        </div>
      </div>
      {away && (
        <Button className={css.latest} onClick={() => virtual.scrollToEnd()}>
          <ArrowDown size={14} aria-hidden="true" />
          {below === 0 ? t.latest : `${t.latest} · ${t.latestNew(below)}`}
        </Button>
      )}
    </div>
  );
}

/** Whoever is at the end stays there when the composer grows and leaves less room. */
function useStayAtEnd(scroll: RefObject<HTMLElement | null>, away: boolean, toEnd: () => void): void {
  const newest = useRef({ away, toEnd });
  newest.current = { away, toEnd };
  useEffect(() => {
    if (scroll.current === null) return;
    let height = scroll.current.clientHeight;
    const sizes = new ResizeObserver(([entry]) => {
      const now = entry?.target.clientHeight ?? height;
      if (now < height && !newest.current.away) newest.current.toEnd();
      height = now;
    });
    sizes.observe(scroll.current);
    return () => sizes.disconnect();
  }, [scroll]);
}

/** How many rows came while the end was out of view. */
function useArrivedBelow(order: readonly string[], away: boolean): number {
  const left = useRef(order.length);
  if (!away) left.current = order.length;
  return Math.max(0, order.length - left.current);
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
