/** A view in a frame of another page: one thread, or one file. It shows, and nothing can be done in it. */
import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Route, Router, Switch, useSearch } from "wouter";
import { getArtifact, getThread } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { enter, sessionOf } from "../app/sessions.ts";
import { ArtifactView } from "../cards/ArtifactCard.tsx";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord, Thread } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Activity } from "../thread/Activity.tsx";
import { Announcer } from "../thread/Announcer.tsx";
import { Conversation } from "../thread/Conversation.tsx";
import type { CardActions } from "../thread/Row.tsx";
import css from "./FramePage.module.css";
import { tellHost } from "./host.ts";
import { FRAME_BASE } from "./mode.ts";

const nothing = () => undefined;
const NONE: CardActions = {
  retry: nothing,
  discard: nothing,
  branch: async () => {},
  quote: nothing,
  resume: nothing,
  openBotSettings: nothing,
};

type Found<T> = { it: T } | { problem: ProblemRecord | "unreachable" } | null;

function useFound<T>(get: (id: string) => Promise<T>, id: string): Found<T> {
  const [found, setFound] = useState<Found<T>>(null);
  useEffect(() => {
    let stale = false;
    get(id).then(
      (it) => stale || setFound({ it }),
      (reason: unknown) => stale || setFound({ problem: problemOf(reason) }),
    );
    return () => {
      stale = true;
    };
  }, [get, id]);
  return found;
}

function Loaded<T>({ found, children }: { found: Found<T>; children: (it: T) => ReactNode }) {
  const t = useText();
  if (found === null) return <p className={css.note}>{t.loading}</p>;
  if ("it" in found) return children(found.it);
  return (
    <div className={css.note}>
      <Problem problem={found.problem} />
    </div>
  );
}

function ThreadView({ thread }: { thread: Thread }) {
  const t = useText();
  const session = useMemo(() => sessionOf(thread.id), [thread.id]);
  const target = new URLSearchParams(useSearch()).get("at");
  const { run } = useSyncExternalStore(session.store.onFacts, session.store.facts);
  const state = run?.state;
  useEffect(() => {
    const leave = enter(session);
    const wake = () => document.visibilityState === "visible" && session.wake(Number.POSITIVE_INFINITY);
    document.addEventListener("visibilitychange", wake);
    window.addEventListener("online", wake);
    return () => {
      leave();
      document.removeEventListener("visibilitychange", wake);
      window.removeEventListener("online", wake);
    };
  }, [session]);
  useEffect(() => {
    if (state !== undefined) tellHost({ type: "run", state });
  }, [state]);
  return (
    <>
      <h1 className="aside-visually">{thread.title || t.untitled}</h1>
      <Conversation session={session} actions={NONE} target={target} empty={<p>{t.noMessages}</p>} />
      <Activity session={session} />
      <Announcer store={session.store} />
    </>
  );
}

/** Tells the parent how high its frame would have to be, so that it need not scroll. */
function Measured({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      const height = Math.ceil(entry?.borderBoxSize[0]?.blockSize ?? 0);
      if (height > 0) tellHost({ type: "height", height });
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={box} className={css.file}>
      {children}
    </div>
  );
}

function OneThread({ id }: { id: string }) {
  return <Loaded found={useFound(getThread, id)}>{(thread) => <ThreadView thread={thread} />}</Loaded>;
}

function OneFile({ id }: { id: string }) {
  const found = useFound(getArtifact, id);
  return (
    <Measured>
      <Loaded found={found}>
        {(artifact) => (
          <>
            <h1 className="aside-visually">{artifact.name}</h1>
            <ArtifactView artifact={artifact} opened />
          </>
        )}
      </Loaded>
    </Measured>
  );
}

export default function FramePage() {
  const t = useText();
  return (
    <Router base={FRAME_BASE}>
      <main className={css.page}>
        <Switch>
          <Route path="/t/:id">{({ id }) => <OneThread key={id} id={id} />}</Route>
          <Route path="/files/:id">{({ id }) => <OneFile key={id} id={id} />}</Route>
          <Route>
            <h1 className={css.note}>{t.nothingToShow}</h1>
          </Route>
        </Switch>
      </main>
    </Router>
  );
}
