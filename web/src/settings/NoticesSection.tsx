/** Asks for the settings of notices, shows them, and takes what each change comes to. */
import { useCallback, useEffect, useState } from "react";
import { useStore } from "zustand";
import { problemOf } from "../api/http.ts";
import { getNoticeDeliveries, getNotices } from "../api/notices.ts";
import { directory } from "../app/directory.ts";
import { Problem } from "../cards/Problem.tsx";
import type { NoticeDelivery, Notices, Problem as ProblemRecord } from "../contracts.ts";
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

export function NoticesSection() {
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
    known().then(
      (found) => !stale && setShown(found),
      (reason: unknown) => !stale && fail(reason),
    );
    return () => {
      stale = true;
    };
  }, [zone, fail]);

  /** Does something and shows how it stands then, also where it has failed. */
  const attempt = useCallback(
    async (action: () => Promise<unknown>): Promise<boolean> => {
      setBusy(true);
      setProblem(null);
      try {
        await action();
        return true;
      } catch (reason) {
        fail(reason);
        return false;
      } finally {
        await known().then(setShown, fail);
        setBusy(false);
      }
    },
    [fail],
  );

  return (
    <>
      {shown === null && problem === null && <p role="status">{t.loading}</p>}
      {shown !== null && <NoticesView {...shown} busy={busy} attempt={attempt} />}
      {problem !== null && <Problem problem={problem} />}
    </>
  );
}
