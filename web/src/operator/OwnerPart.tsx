/** One owner: what is known of them, what can be done, and their part of the record. */
import { ChevronLeft } from "lucide-react";
import { useCallback, useState } from "react";
import { Link } from "wouter";
import { ban, endExemption, exempt, getOneOwner, grant, unban } from "../api/operator.ts";
import type { OperatorOwner } from "../contracts.ts";
import { type Dictionary, useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Chip } from "../ui/Chip.tsx";
import { Field } from "../ui/Field.tsx";
import { count, dateAndTime, dollars, elapsed } from "../ui/format.ts";
import { useAsked } from "./asked.ts";
import { type Fact, Facts } from "./Facts.tsx";
import css from "./Operator.module.css";
import { standing } from "./OwnersTab.tsx";
import { type Action, ReasonDialog } from "./ReasonDialog.tsx";
import { RecordTable } from "./RecordTab.tsx";
import { Waiting } from "./Waiting.tsx";

const MICRO = 1_000_000;
const GRANT_MAX = 10_000;

function counted(counts: Readonly<Record<string, number>> | undefined, locale: string): string {
  const rows = Object.entries(counts ?? {});
  return rows.length === 0 ? "–" : rows.map(([word, n]) => `${word} ${count(n, locale)}`).join(", ");
}

function factsOf(owner: OperatorOwner, t: Dictionary, locale: string): Fact[] {
  const words = t.operator;
  const report = owner.report;
  const facts: Fact[] = [
    [words.firstSeen, dateAndTime(owner.first_ms, locale)],
    [words.seen, dateAndTime(owner.seen_ms, locale)],
  ];
  if (owner.reason) facts.push([words.standbyBecause, <code key="r">{owner.reason}</code>]);
  if (owner.deleted_ms) facts.push([words.deleted, dateAndTime(owner.deleted_ms, locale)]);
  if (!report) return facts;
  return [
    ...facts,
    [words.bots, count(report.bots ?? 0, locale)],
    [words.threads, count(report.threads ?? 0, locale)],
    [words.routines, count(report.routines ?? 0, locale)],
    [words.ran, elapsed(report.running_ms ?? 0)],
    [words.calls, count(report.calls ?? 0, locale)],
    [words.runs, counted(report.runs, locale)],
    [words.errors, counted(report.errors, locale)],
    [words.costComputer, dollars(report.computer_micro ?? 0, locale, 2)],
    [words.costModels, dollars(report.model_micro ?? 0, locale, 2)],
    [words.balance, dollars(report.balance_micro ?? 0, locale, 2)],
  ];
}

function actionsOf(owner: OperatorOwner, t: Dictionary): (Action | "grant")[] {
  const { acts: words } = t.operator;
  const id = owner.owner_id;
  const plain = { withoutReason: true } as const;
  return [
    owner.ban
      ? { title: words.unban, about: words.unbanAbout, word: words.unban, run: () => unban(id), ...plain }
      : { title: words.ban, about: words.banAbout, word: words.ban, harsh: true, run: (why) => ban(id, why) },
    owner.exempt
      ? {
          title: words.endExemption,
          about: words.endExemptionAbout,
          word: words.endExemption,
          run: () => endExemption(id),
          ...plain,
        }
      : { title: words.exempt, about: words.exemptAbout, word: words.exempt, run: (why) => exempt(id, why) },
    "grant",
  ];
}

/** The grant has an id from the start, so that sending it twice grants once. */
function GrantDialog({ id, close, done }: { id: string; close: () => void; done: () => void }) {
  const { text: t } = useLanguage();
  const words = t.operator.acts;
  const [grantId] = useState(() => `op-${crypto.randomUUID()}`);
  const [amount, setAmount] = useState("10");
  const micro = Math.round(Number(amount) * MICRO);
  const wrong = !(micro >= 1 && micro <= GRANT_MAX * MICRO);
  const action: Action = {
    title: words.grant,
    about: words.grantAbout,
    word: words.grant,
    withoutReason: true,
    blocked: wrong,
    fields: (
      <Field
        label={words.amount}
        inputMode="decimal"
        value={amount}
        wrong={wrong ? words.amountWrong(GRANT_MAX) : null}
        onChange={(event) => setAmount(event.target.value)}
      />
    ),
    run: () => grant(id, { id: grantId, micro }),
  };
  return <ReasonDialog action={action} close={close} done={done} />;
}

export function OwnerPart({ id }: { id: string }) {
  const { text: t, locale } = useLanguage();
  const words = t.operator;
  const look = useCallback(() => getOneOwner(id), [id]);
  const { found, trouble, again } = useAsked(look);
  const [action, setAction] = useState<Action | "grant" | null>(null);
  const [changes, setChanges] = useState(0);
  const done = () => {
    again();
    setChanges(changes + 1);
  };
  return (
    <>
      <Link href="/operator/owners" className={css.back}>
        <ChevronLeft size={17} aria-hidden="true" />
        {words.allOwners}
      </Link>
      {found === null ? (
        <Waiting trouble={trouble} again={again} />
      ) : (
        <section className={css.card} aria-label={id}>
          <div className={css.head}>
            <h2>{id}</h2>
            <Chip tone={standing(found, t).tone}>{standing(found, t).word}</Chip>
            {found.exempt && <Chip tone="attention">{words.standing.exempt}</Chip>}
          </div>
          {found.ban && <p className={css.reason}>{words.banBecause(found.ban.reason)}</p>}
          {found.exempt && <p className={css.reason}>{words.exemptBecause(found.exempt.reason)}</p>}
          <Facts facts={factsOf(found, t, locale)} />
          <div className={css.acts}>
            {actionsOf(found, t).map((one) => (
              <Button
                key={one === "grant" ? one : one.word}
                look={one !== "grant" && one.harsh ? "danger" : "outline"}
                onClick={() => setAction(one)}
              >
                {one === "grant" ? `${words.acts.grant}…` : `${one.word}…`}
              </Button>
            ))}
          </div>
        </section>
      )}
      <h2>{words.record}</h2>
      <RecordTable key={changes} ownerId={id} />
      {action === "grant" && <GrantDialog id={id} close={() => setAction(null)} done={done} />}
      {action !== null && action !== "grant" && (
        <ReasonDialog action={action} close={() => setAction(null)} done={done} />
      )}
    </>
  );
}
