/** The record of what was done and changed, and whether its chain is whole. */
import { Download } from "lucide-react";
import { useCallback, useState } from "react";
import { Link } from "wouter";
import { problemOf } from "../api/http.ts";
import { checkRecord, getRecord, recordFile } from "../api/operator.ts";
import { Problem } from "../cards/Problem.tsx";
import type { AuditCheck, AuditPage } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Chip } from "../ui/Chip.tsx";
import { count, dateAndTime } from "../ui/format.ts";
import { type Trouble, useAsked } from "./asked.ts";
import css from "./Operator.module.css";
import { Waiting } from "./Waiting.tsx";

type Entry = AuditPage["items"][number];

function told(details: Entry["details"]): string {
  return (
    Object.entries(details)
      // The hash of what only the owner may read tells nobody anything.
      .filter(([name, value]) => value !== null && value !== "" && name !== "own")
      .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(", ") : String(value)}`)
      .join(" · ")
  );
}

function Row({ entry, whole }: { entry: Entry; whole: boolean }) {
  const { text: t, locale } = useLanguage();
  const actor = entry.actor;
  return (
    <tr>
      <td className={css.time}>{dateAndTime(entry.at_ms, locale)}</td>
      <th scope="row">
        <code>{entry.kind}</code>
      </th>
      {whole && (
        <td className={css.words}>
          {entry.owner_id === "platform" ? (
            t.operator.everybody
          ) : (
            <Link href={`/operator/owners/${entry.owner_id}`}>{entry.owner_id}</Link>
          )}
        </td>
      )}
      <td className={css.words}>{actor ? `${actor.person_id} (${actor.via})` : t.operator.itself}</td>
      <td className={css.details}>{told(entry.details)}</td>
    </tr>
  );
}

export function RecordTable({ ownerId }: { ownerId: string }) {
  const { text: t } = useLanguage();
  const words = t.operator;
  const [pages, setPages] = useState<readonly number[]>([]);
  const before = pages.at(-1);
  const look = useCallback(() => getRecord(ownerId, before), [ownerId, before]);
  const { found, trouble, again } = useAsked(look);
  if (found === null) return <Waiting trouble={trouble} again={again} />;
  const last = found.items.at(-1);
  return (
    <>
      <section className={css.scroll} aria-label={words.record} tabIndex={0}>
        <table className={css.table} data-record>
          <thead>
            <tr>
              <th scope="col" className={css.time}>
                {words.when}
              </th>
              <th scope="col">{words.what}</th>
              {ownerId === "" && (
                <th scope="col" className={css.words}>
                  {words.owner}
                </th>
              )}
              <th scope="col" className={css.words}>
                {words.who}
              </th>
              <th scope="col" className={css.details}>
                {words.details}
              </th>
            </tr>
          </thead>
          <tbody>
            {found.items.map((entry) => (
              <Row key={entry.n} entry={entry} whole={ownerId === ""} />
            ))}
          </tbody>
        </table>
      </section>
      {found.items.length === 0 && <p className={css.none}>{words.nothing}</p>}
      {(pages.length > 0 || found.more) && (
        <div className={css.acts}>
          <Button disabled={pages.length === 0} onClick={() => setPages(pages.slice(0, -1))}>
            {words.newer}
          </Button>
          <Button disabled={!found.more} onClick={() => last && setPages([...pages, last.n])}>
            {words.older}
          </Button>
        </div>
      )}
    </>
  );
}

interface Checked {
  readonly entries: number;
  readonly last: AuditCheck;
}

/** Piece by piece to the end, or to where it is broken. */
async function follow(): Promise<Checked> {
  let last = await checkRecord(0);
  let entries = last.entries;
  while (last.next_after) {
    last = await checkRecord(last.next_after);
    entries += last.entries;
  }
  return { entries, last };
}

function Chain() {
  const { text: t, locale } = useLanguage();
  const words = t.operator.chain;
  const [checked, setChecked] = useState<Checked | "busy" | null>(null);
  const [trouble, setTrouble] = useState<Trouble>(null);
  const check = () => {
    setTrouble(null);
    setChecked("busy");
    follow().then(setChecked, (reason: unknown) => {
      setChecked(null);
      setTrouble(problemOf(reason));
    });
  };
  const done = checked !== null && checked !== "busy" ? checked : null;
  return (
    <section className={css.card} aria-label={words.title}>
      <p>{words.about}</p>
      <div className={css.acts}>
        <Button onClick={check} disabled={checked === "busy"}>
          {checked === "busy" ? t.loading : words.check}
        </Button>
        <a className={css.download} href={recordFile} download>
          <Download size={15} aria-hidden="true" />
          {words.download}
        </a>
      </div>
      <div role="status">
        {done !== null && (
          <p className={css.checked}>
            {done.last.broken ? (
              <>
                <Chip tone="failed">{words.broken}</Chip> {words.brokenAt(done.last.broken.n)}{" "}
                <code>{done.last.broken.why}</code>
              </>
            ) : (
              <>
                <Chip tone="finished">{words.whole}</Chip> {words.entries(count(done.entries, locale))}
              </>
            )}
          </p>
        )}
        {done !== null && (
          <p className={css.hash}>
            {words.head} <code>{done.last.head}</code>
          </p>
        )}
      </div>
      {trouble !== null && <Problem problem={trouble} />}
    </section>
  );
}

export function RecordTab() {
  return (
    <>
      <Chain />
      <RecordTable ownerId="" />
    </>
  );
}
