/**
 * Orders that wait for the person: where they come from, each line with what it means, and what became of it.
 *
 * It is drawn from the intent's own fields alone. Deciding is in `ApprovalDecision.tsx`.
 */
import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Intent, IntentLine } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import type { ApprovalCard as ApprovalRecord } from "../stream/cards.ts";
import { short } from "../trading/account-form.ts";
import { NetworkChip } from "../trading/NetworkChip.tsx";
import { Chip } from "../ui/Chip.tsx";
import { useNow } from "../ui/clock.ts";
import css from "./ApprovalCard.module.css";
import { ApprovalDecision } from "./ApprovalDecision.tsx";
import { causesOf, hasOutcomes, outcomeOf, timeLeft, toneOf } from "./approval-state.ts";
import card from "./Card.module.css";

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
            {outcomes && (
              <th scope="col" className={css.outcome}>
                {t.columnOutcome}
              </th>
            )}
            <th scope="col">{t.columnSize}</th>
            <th scope="col">{t.columnPrice}</th>
            <th scope="col">{t.columnValue}</th>
            <th scope="col">{t.columnFromMid}</th>
            <th scope="col">{t.columnPosition}</th>
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
              {outcomes && (
                <td className={css.outcome}>
                  <Outcome intent={intent} line={line} />
                </td>
              )}
              <td>{line.size}</td>
              <td>{line.price}</td>
              <td>{line.notional}</td>
              <td>{line.distance} %</td>
              <td>{line.position_after}</td>
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
  const left = timeLeft(expiresMs, useNow(true));
  return <span role="timer">{left === null ? t.intentStates.expired : t.expiresIn(left)}</span>;
}

/** Where it comes from: what in the conversation came from outside, and who set it going. */
function Source({ intent }: { intent: Intent }) {
  const t = useText();
  const { source } = intent;
  const causes = causesOf(intent);
  return (
    <>
      {source.tainted && (
        <div className={css.source}>
          {t.checkEachLine}
          {causes.length === 0 ? (
            <p>{t.taintedByEarlier}</p>
          ) : (
            <ul className={css.causes}>
              {causes.map((cause) => (
                <li key={cause}>
                  <bdi>{cause}</bdi>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {source.origin === "routine" && <p className={css.fact}>{t.ofRoutine}</p>}
      {intent.replaces && <p className={css.source}>{t.priceMovedAgain}</p>}
    </>
  );
}

/** What is to be known of a decision that was made, and of an outcome that was not told. */
function After({ intent }: { intent: Intent }) {
  const t = useText();
  const reasons: Record<string, string> = t.withdrawnBecause;
  const reason = intent.reason ?? "";
  const why = intent.state === "withdrawn" ? (reasons[reason] ?? reason) : "";
  return (
    <>
      {intent.state === "unknown" && <span className={css.unknown}>{t.lookedUp}</span>}
      {intent.by === "rule" && <span>{t.bySettledRule}</span>}
      {intent.by === "owner" && intent.state !== "withdrawn" && intent.reason && (
        <span>
          <bdi>{t.declinedBecause(intent.reason)}</bdi>
        </span>
      )}
      {why !== "" && <bdi>{why}</bdi>}
    </>
  );
}

export function ApprovalCard({ record }: { record: ApprovalRecord }) {
  const t = useText();
  const { intent } = record;
  const pending = intent.state === "pending";
  const [chosen, setChosen] = useState<ReadonlySet<number>>(
    () => new Set(intent.lines.map((line) => line.n)),
  );
  const [seen, setSeen] = useState(false);
  const onSeen = useRef(() => setSeen(true)).current;
  const toggle = (n: number) => {
    const next = new Set(chosen);
    if (!next.delete(n)) next.add(n);
    setChosen(next);
  };
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
        <NetworkChip network={intent.network} />
        <span className={card.name}>
          {intent.account !== intent.network && (
            <bdi className={css.account} title={intent.account}>
              {short(intent.account)}
            </bdi>
          )}
        </span>
        {pending && <Countdown expiresMs={intent.expires_ms} />}
      </div>
      <Source intent={intent} />
      <Lines intent={intent} chosen={chosen} toggle={pending ? toggle : null} onSeen={onSeen} />
      <div className={card.notes}>
        <span>{t.totals(totals.notional, totals.fee, totals.margin)}</span>
        <span>{t.available(totals.available)}</span>
        <After intent={intent} />
      </div>
      <ApprovalDecision intent={intent} chosen={chosen} seen={seen} />
    </div>
  );
}
