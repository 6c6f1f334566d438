/**
 * Orders that wait for the person: where they come from, each line with what it means, and what became of it.
 *
 * It is drawn from the intent's own fields alone. Deciding is in `ApprovalDecision.tsx`.
 */
import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useRef } from "react";
import { useMay } from "../app/rights.ts";
import type { Intent, IntentLine } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import type { ApprovalCard as ApprovalRecord } from "../stream/cards.ts";
import { short } from "../trading/account-form.ts";
import { NetworkChip } from "../trading/NetworkChip.tsx";
import { Chip } from "../ui/Chip.tsx";
import { useNow } from "../ui/clock.ts";
import { useKept } from "../ui/kept.ts";
import css from "./ApprovalCard.module.css";
import { ApprovalDecision } from "./ApprovalDecision.tsx";
import { causesOf, hasOutcomes, outcomeOf, timeLeft, toneOf } from "./approval-state.ts";
import { goingAhead, type Sums, sumsOf } from "./approval-sums.ts";
import card from "./Card.module.css";
import { useUnseen } from "./use-unseen.ts";

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

/** What is unusual about a line; what it takes of the balance goes by the lines that are chosen. */
function Warnings({ line, sums }: { line: IntentLine; sums: Sums }) {
  const t = useText();
  const rest = (line.warnings ?? []).filter((warning) => warning !== "over_balance");
  const warnings = sums.overBalance.has(line.n) ? [...rest, "over_balance" as const] : rest;
  return warnings.map((warning) => (
    <span key={warning} className={css.warnings}>
      {t.lineWarnings[warning]}
    </span>
  ));
}

interface LinesProps {
  intent: Intent;
  chosen: ReadonlySet<number>;
  sums: Sums;
  toggle: ((n: number) => void) | null;
  onUnseen: (count: number) => void;
}

function Lines({ intent, chosen, sums, toggle, onUnseen }: LinesProps) {
  const t = useText();
  const body = useRef<HTMLTableSectionElement>(null);
  useUnseen(body, toggle !== null, onUnseen);
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
        <tbody ref={body}>
          {intent.lines.map((line) => (
            <tr key={line.n} className={toggle && !chosen.has(line.n) ? css.left : undefined}>
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
                <Warnings line={line} sums={sums} />
              </td>
              {outcomes && (
                <td className={css.outcome} data-name={t.columnOutcome}>
                  <Outcome intent={intent} line={line} />
                </td>
              )}
              <td data-name={t.columnSize}>{line.size}</td>
              <td data-name={t.columnPrice}>{line.price}</td>
              <td data-name={t.columnValue}>{line.notional}</td>
              <td data-name={t.columnFromMid}>{line.distance} %</td>
              <td data-name={t.columnPosition}>{sums.positions.get(line.n) ?? "—"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What the chosen lines come to, each figure with its name. */
function Estimate({ sums, available }: { sums: Sums; available: string }) {
  const t = useText();
  const figures = [
    [t.sums.value, sums.notional],
    [t.sums.fee, sums.fee],
    [t.sums.margin, sums.margin],
    [t.sums.available, available],
  ];
  return (
    <dl className={css.sums} data-totals>
      {figures.map(([name, figure]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{figure} USDC</dd>
        </div>
      ))}
    </dl>
  );
}

/** The time that is left, in its own small part so that a tick draws nothing else. */
function Countdown({ expiresMs }: { expiresMs: number }) {
  const t = useText();
  const left = timeLeft(expiresMs, useNow(true));
  return (
    <span role="timer" className={css.timer}>
      {left === null ? t.intentStates.expired : t.expiresIn(left)}
    </span>
  );
}

/** Where it comes from: what in the conversation came from outside, and who set it going. */
function Source({ intent }: { intent: Intent }) {
  const t = useText();
  const { source } = intent;
  const causes = causesOf(intent, t);
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
      {intent.replaces && <p className={css.source}>{t.askedAgain[intent.asked_again ?? "price_moved"]}</p>}
    </>
  );
}

/** What is to be known of a decision that was made, and of an outcome that was not told. */
function After({ intent }: { intent: Intent }) {
  const t = useText();
  const reasons: Record<string, string> = t.tradingRefused;
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
  const may = useMay("approve");
  // Whoever scrolls back to what led to this finds the lines as they left them, and not all chosen again.
  const [left, setLeft] = useKept<readonly number[]>(`left:${intent.id}`, []);
  const [unseen, setUnseen] = useKept<number | null>(`unseen:${intent.id}`, null);
  const onUnseen = (count: number) => {
    if (unseen !== 0) setUnseen(count);
  };
  const chosen = new Set(intent.lines.map((line) => line.n).filter((n) => !left.includes(n)));
  const toggle = (n: number) =>
    setLeft(left.includes(n) ? left.filter((other) => other !== n) : [...left, n]);
  const sums = sumsOf(intent, pending ? chosen : goingAhead(intent));
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
      <Lines
        intent={intent}
        chosen={chosen}
        sums={sums}
        toggle={pending && may ? toggle : null}
        onUnseen={onUnseen}
      />
      <div className={card.notes}>
        <Estimate sums={sums} available={intent.totals.available} />
        <After intent={intent} />
      </div>
      <ApprovalDecision intent={intent} chosen={chosen} unseen={unseen} />
    </div>
  );
}
