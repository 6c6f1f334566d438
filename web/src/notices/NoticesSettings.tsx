/** Asks for the settings of notices, shows them, and takes what each change comes to. */
import { useCallback, useEffect, useState } from "react";
import { useStore } from "zustand";
import { problemOf } from "../api/http.ts";
import { chooseNotices, getNoticeDeliveries, getNotices } from "../api/notices.ts";
import { directory } from "../app/directory.ts";
import { Problem } from "../cards/Problem.tsx";
import type { NoticeDelivery, NoticeSettings, Notices, Problem as ProblemRecord } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { NoticesView } from "./NoticesView.tsx";
import { type PushStanding, standingOf } from "./push.ts";

interface Known {
  notices: Notices;
  deliveries: readonly NoticeDelivery[];
  standing: PushStanding;
  own: string | null;
}

async function known(): Promise<Known> {
  const [notices, { items }] = await Promise.all([getNotices(), getNoticeDeliveries()]);
  return { notices, deliveries: items, ...(await standingOf(notices)) };
}

/**
 * Changes go one after the other, in the order of the clicks, and how it stands is asked for behind the last one;
 * also by whoever has left meanwhile and comes back.
 */
const queue = { last: Promise.resolve(true), length: 0 };

export default function NoticesSettings() {
  const t = useText();
  // What the quiet hours mean changes with it.
  const zone = useStore(directory, (all) => all.owner?.time_zone ?? null);
  const [shown, setShown] = useState<Known | null>(null);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const [busy, setBusy] = useState(false);

  const fail = useCallback((reason: unknown) => setProblem(problemOf(reason)), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked anew when the zone is another one
  useEffect(() => {
    let stale = false;
    queue.last.then(known).then(
      (found) => !stale && setShown(found),
      (reason: unknown) => !stale && fail(reason),
    );
    return () => {
      stale = true;
    };
  }, [zone, fail]);

  const attempt = useCallback(
    (action: () => Promise<unknown>): Promise<boolean> => {
      const turn = async (): Promise<boolean> => {
        let went = true;
        try {
          await action();
        } catch (reason) {
          fail(reason);
          went = false;
        }
        queue.length -= 1;
        if (queue.length === 0) {
          await known().then(setShown, fail);
          setBusy(queue.length > 0);
        }
        return went;
      };
      setBusy(true);
      setProblem(null);
      queue.length += 1;
      queue.last = queue.last.then(turn);
      return queue.last;
    },
    [fail],
  );
  /** What is chosen is shown at once; where it could not be kept, what holds comes back. */
  const choose = useCallback(
    (settings: NoticeSettings) => {
      setShown((before) => before && { ...before, notices: { ...before.notices, settings } });
      void attempt(() => chooseNotices(settings));
    },
    [attempt],
  );

  return (
    <>
      {shown === null && problem === null && <p role="status">{t.loading}</p>}
      {shown !== null && <NoticesView {...shown} busy={busy} attempt={attempt} keep={choose} />}
      {problem !== null && <Problem problem={problem} />}
    </>
  );
}
