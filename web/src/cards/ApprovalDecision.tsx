/**
 * Deciding on the lines of an intent. A decision names the digest of what is on the screen, and is sent once: after a
 * failure the card shows what the server says, and the person decides again.
 *
 * It takes a fresh touch: the button is there only once every line was in view for a moment, so that nobody hits it
 * who meant what was in its place before, and a key that is held down presses nothing.
 */

import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import { decideApproval } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { useLacks, useMay } from "../app/rights.ts";
import { refreshQuietly, standing } from "../app/trading.ts";
import type { Intent, Problem as ProblemRecord } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { useKept } from "../ui/kept.ts";
import css from "./ApprovalCard.module.css";
import { keptBack } from "./approval-state.ts";
import { Problem } from "./Problem.tsx";

const REASON_CHARACTERS_MAX = 500;
const SETTLE_MS = 600;

const notHeldDown = (event: KeyboardEvent) => {
  if (event.repeat) event.preventDefault();
};

/** False until `seen` has held for a moment. */
function useSettled(seen: boolean): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    if (!seen) return;
    const timer = setTimeout(() => setSettled(true), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [seen]);
  return settled;
}

interface Props {
  intent: Intent;
  chosen: ReadonlySet<number>;
  /** Lines that were not in view yet; null before that is known. */
  unseen: number | null;
}

function useDecision(intent: Intent) {
  const [reason, setReason] = useKept(`reason:${intent.id}`, "");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  // Two clicks come before the first has drawn anything.
  const underway = useRef(false);
  const decide = (approve: number[]) => {
    if (underway.current) return;
    underway.current = true;
    setBusy(true);
    setProblem(null);
    // Once it is decided, the stream changes the card; until then nothing can be pressed again.
    decideApproval(intent.id, { digest: intent.digest, approve, reason }).catch((failure: unknown) => {
      setProblem(problemOf(failure));
      // What was refused may have been taken back on another device: the bars and the buttons are to know.
      void refreshQuietly();
      setBusy(false);
      underway.current = false;
    });
  };
  return { reason, setReason, busy, problem, decide };
}

function Buttons({ intent, chosen, unseen, decision }: Props & { decision: ReturnType<typeof useDecision> }) {
  const t = useText();
  const { reason, setReason, busy, decide } = decision;
  const settled = useSettled(unseen === 0);
  const overdue = useNow(true) >= intent.expires_ms;
  const state = useStore(standing, (all) => all.trading?.switch ?? "active");
  const kept = keptBack(state, intent, chosen);
  useEffect(() => {
    // Their first order: from now on they are one who trades, and have the kill switch at hand.
    if (standing.getState().trading?.used === false) void refreshQuietly();
  }, []);
  return (
    <>
      {kept && <p className={css.source}>{state === "halted" ? t.trading.halted : t.trading.reducing}</p>}
      <div className={css.decide}>
        <input
          value={reason}
          maxLength={REASON_CHARACTERS_MAX}
          placeholder={t.declineReason}
          aria-label={t.declineReason}
          onChange={(event) => setReason(event.target.value)}
        />
        <Button disabled={busy || overdue} onKeyDown={notHeldDown} onClick={() => decide([])}>
          {t.declineAll}
        </Button>
        <Button
          look="primary"
          disabled={busy || overdue || kept || !settled || chosen.size === 0}
          onKeyDown={notHeldDown}
          onClick={() => decide([...chosen].sort((a, b) => a - b))}
        >
          {t.approveLines(chosen.size, intent.lines.length)}
        </Button>
      </div>
      {unseen !== null && unseen > 0 && <p className={css.look}>{t.scrollToApprove(unseen)}</p>}
    </>
  );
}

/** Of these the title and the advice say it all, in the person's language; the server's sentence is English. */
const SAID: ReadonlySet<string> = new Set([
  "approval_expired",
  "approval_changed",
  "already_decided",
  "venue_unavailable",
  "venue_throttled",
]);

const said = (problem: ProblemRecord | "unreachable"): ProblemRecord | "unreachable" =>
  problem !== "unreachable" && SAID.has(problem.code) ? { ...problem, message: "" } : problem;

export function ApprovalDecision({ intent, chosen, unseen }: Props) {
  const t = useText();
  const decision = useDecision(intent);
  const may = useMay("approve");
  const lacks = useLacks("approve");
  return (
    <>
      {intent.state === "pending" && may && (
        <Buttons intent={intent} chosen={chosen} unseen={unseen} decision={decision} />
      )}
      {intent.state === "pending" && lacks && <p className={css.owners}>{t.members.ownersApprove}</p>}
      {decision.problem !== null && <Problem problem={said(decision.problem)} />}
    </>
  );
}
