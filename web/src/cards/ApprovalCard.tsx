/**
 * Orders that wait for the person: where they come from, each line with what it means, and what became of it.
 *
 * It is drawn from the intent's own fields alone. A decision names the digest of what is on the screen, and is sent
 * once: after a failure the card shows what the server says, and the person decides again.
 */
import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { decideApproval } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import type { Intent, IntentLine, Problem as ProblemRecord } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import type { ApprovalCard as ApprovalRecord } from "../stream/cards.ts";
import { Button } from "../ui/Button.tsx";
import { Chip } from "../ui/Chip.tsx";
import css from "./ApprovalCard.module.css";
import { causesOf, hasOutcomes, outcomeOf, timeLeft, toneOf } from "./approval-state.ts";
import card from "./Card.module.css";
import { Problem } from "./Problem.tsx";

const REASON_CHARACTERS_MAX = 500;

function Side({ line, cancels }: { line: IntentLine; cancels: boolean }) {
  const t = useText();
  const buys = line.side === "buy";
  const Arrow = cancels ? X : buys ? ArrowUp : ArrowDown;
  return (
    <span className={`${css.side} ${buys ? css.buy : css.sell}`}>
      <Arrow size={14} aria-hidden="true" />
      {cancels && `${t.cancelOrder} `}
      {buys ? t.buy : t.sell}
    </span>
  );
}

function Outcome({ intent, line }: { intent: Intent; line: IntentLine }) {
  const t = useText();
  const outcome = outcomeOf(intent, line);
  if (outcome === undefined) return null;
  const filled = (outcome.filled ?? "0") !== "0" && outcome.price;
  return (
    <>
      {t.lineStates[outcome.state]}
      {filled && ` ${t.filledAt(outcome.filled ?? "", outcome.price ?? "")}`}
      {outcome.error && (
        <span className={css.warnings}>
          <bdi>{outcome.error}</bdi>
        </span>
      )}
    </>
  );
}

interface LinesProps {
  intent: Intent;
  chosen: ReadonlySet<number>;
  toggle: ((n: number) => void) | null;
  onSeen: () => void;
}

/** The table of lines; `onSeen` is called once its last one has been in view. */
function Lines({ intent, chosen, toggle, onSeen }: LinesProps) {
  const t = useText();
  const last = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (last.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) onSeen();
    });
    observer.observe(last.current);
    return () => observer.disconnect();
  }, [onSeen]);
  const outcomes = hasOutcomes(intent);
  const cancels = intent.kind === "cancel";
  return (
    <div className={css.scroll} role="group" aria-label={t.approvalTable} tabIndex={0}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col" className={css.order}>
              {t.columnOrder}
            </th>
            <th scope="col">{t.columnSize}</th>
            <th scope="col">{t.columnPrice}</th>
            <th scope="col">{t.columnValue}</th>
            <th scope="col">{t.columnFromMid}</th>
            <th scope="col">{t.columnPosition}</th>
            {outcomes && <th scope="col">{t.columnOutcome}</th>}
          </tr>
        </thead>
        <tbody>
          {intent.lines.map((line, index) => (
            <tr key={line.n} ref={index === intent.lines.length - 1 ? last : null}>
              <td className={css.order}>
                <span className={css.what}>
                  {toggle && (
                    <input
                      type="checkbox"
                      checked={chosen.has(line.n)}
                      aria-label={t.approveLine(line.n)}
                      onChange={() => toggle(line.n)}
                    />
                  )}
                  <Side line={line} cancels={cancels} />
                  <bdi>{line.symbol}</bdi> {line.tif}
                  {line.reduce_only && ` ${t.reduceOnly}`}
                </span>
                {(line.warnings ?? []).length > 0 && (
                  <span className={css.warnings}>
                    {line.warnings?.map((warning) => t.lineWarnings[warning]).join(", ")}
                  </span>
                )}
              </td>
              <td>{line.size}</td>
              <td>{line.price}</td>
              <td>{line.notional}</td>
              <td>{line.distance} %</td>
              <td>{line.position_after}</td>
              {outcomes && (
                <td>
                  <Outcome intent={intent} line={line} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The time that is left, in its own small part so that a tick draws nothing else. */
function Countdown({ expiresMs }: { expiresMs: number }) {
  const t = useText();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const left = timeLeft(expiresMs, now);
  return <span role="timer">{left === null ? t.intentStates.expired : t.expiresIn(left)}</span>;
}

export function ApprovalCard({ record }: { record: ApprovalRecord }) {
  const t = useText();
  const { intent } = record;
  const pending = intent.state === "pending";
  const [chosen, setChosen] = useState<ReadonlySet<number>>(
    () => new Set(intent.lines.map((line) => line.n)),
  );
  const [reason, setReason] = useState("");
  const [seen, setSeen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const onSeen = useRef(() => setSeen(true)).current;
  const toggle = (n: number) => {
    const next = new Set(chosen);
    if (!next.delete(n)) next.add(n);
    setChosen(next);
  };
  const decide = (approve: number[]) => {
    setBusy(true);
    setProblem(null);
    decideApproval(intent.id, { digest: intent.digest, approve, reason })
      .catch((failure: unknown) => setProblem(problemOf(failure)))
      .finally(() => setBusy(false));
  };
  const causes = causesOf(intent);
  const { totals } = intent;
  return (
    <div
      className={`${card.card} ${pending ? css.pending : ""}`}
      role="group"
      aria-label={t.intentStates[intent.state]}
      data-card="approval"
      data-state={intent.state}
    >
      <div className={card.head}>
        <Chip tone={toneOf(intent)}>{t.intentStates[intent.state]}</Chip>
        <span className={card.name}>{[...new Set([intent.venue, intent.network])].join(" · ")}</span>
        {pending && <Countdown expiresMs={intent.expires_ms} />}
      </div>
      {intent.source.tainted && (
        <div className={css.source}>
          {t.checkEachLine}
          <ul className={css.causes}>
            {causes.map((cause) => (
              <li key={cause}>
                <bdi>{cause}</bdi>
              </li>
            ))}
          </ul>
        </div>
      )}
      <Lines intent={intent} chosen={chosen} toggle={pending ? toggle : null} onSeen={onSeen} />
      <div className={card.notes}>
        <span>{t.totals(totals.notional, totals.fee, totals.margin)}</span>
        <span>{t.available(totals.available)}</span>
      </div>
      {pending && (
        <div className={css.decide}>
          <input
            value={reason}
            maxLength={REASON_CHARACTERS_MAX}
            placeholder={t.declineReason}
            aria-label={t.declineReason}
            onChange={(event) => setReason(event.target.value)}
          />
          <Button disabled={busy} onClick={() => decide([])}>
            {t.declineAll}
          </Button>
          <Button
            look="primary"
            disabled={busy || !seen || chosen.size === 0}
            title={seen ? undefined : t.scrollToApprove}
            onClick={() => decide([...chosen].sort((a, b) => a - b))}
          >
            {t.approveLines(chosen.size, intent.lines.length)}
          </Button>
        </div>
      )}
      {problem !== null && <Problem problem={problem} />}
    </div>
  );
}
