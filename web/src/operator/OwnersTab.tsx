/** All owners as numbers, the one seen last first. */
import { useCallback, useState } from "react";
import { Link } from "wouter";
import { getOwners, type Shown } from "../api/operator.ts";
import type { OperatorOwner } from "../contracts.ts";
import { type Dictionary, useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Chip, type Tone } from "../ui/Chip.tsx";
import { useNow } from "../ui/clock.ts";
import { Field, SelectField } from "../ui/Field.tsx";
import { count, dollars, elapsed, moment } from "../ui/format.ts";
import { useAsked } from "./asked.ts";
import css from "./Operator.module.css";
import { Waiting } from "./Waiting.tsx";

const SHOWN: readonly Shown[] = ["all", "awake", "banned", "exempt", "deleted"];

export function standing(owner: OperatorOwner, t: Dictionary): { tone: Tone; word: string } {
  const words = t.operator.standing;
  if (owner.ban) return { tone: "failed", word: words.banned };
  if (owner.deleted_ms) return { tone: "stopped", word: words.deleted };
  if (owner.state === "running") return { tone: "running", word: words.running };
  if (owner.state === "starting") return { tone: "running", word: words.starting };
  return { tone: "stopped", word: owner.state === "standby" ? words.standby : words.never };
}

function Row({ owner }: { owner: OperatorOwner }) {
  const { text: t, locale } = useLanguage();
  const now = useNow(false);
  const { tone, word } = standing(owner, t);
  const report = owner.report;
  const failed = report?.runs?.failed ?? 0;
  return (
    <tr>
      <th scope="row">
        <Link href={`/operator/owners/${owner.owner_id}`}>{owner.owner_id}</Link>
      </th>
      <td className={css.words}>
        <Chip tone={tone}>{word}</Chip>{" "}
        {owner.exempt && <Chip tone="attention">{t.operator.standing.exempt}</Chip>}
      </td>
      <td className={css.minor}>{moment(owner.seen_ms, now, locale)}</td>
      <td className={css.minor}>{report ? elapsed(report.running_ms ?? 0) : "–"}</td>
      <td className={css.minor}>{report ? count(report.calls ?? 0, locale) : "–"}</td>
      <td className={css.minor} data-bad={failed > 0}>
        {report ? count(failed, locale) : "–"}
      </td>
      <td>{report ? dollars((report.computer_micro ?? 0) + (report.model_micro ?? 0), locale, 2) : "–"}</td>
    </tr>
  );
}

export function OwnersTab() {
  const { text: t } = useLanguage();
  const words = t.operator;
  const [shown, setShown] = useState<Shown>("all");
  const [find, setFind] = useState("");
  const [pages, setPages] = useState<readonly string[]>([]);
  const before = pages.at(-1);
  const look = useCallback(() => getOwners(shown, find, before), [shown, find, before]);
  const { found, trouble, again } = useAsked(look);
  return (
    <>
      <div className={css.choose}>
        <SelectField
          label={words.show}
          value={shown}
          choose={(value) => {
            setPages([]);
            setShown(value);
          }}
          options={SHOWN.map((value) => ({ value, label: words.shown[value] }))}
        />
        <Field
          label={words.find}
          value={find}
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setPages([]);
            setFind(event.target.value.replace(/[^A-Za-z0-9_-]/g, ""));
          }}
        />
      </div>
      {found === null ? (
        <Waiting trouble={trouble} again={again} />
      ) : found.items.length === 0 ? (
        <p className={css.none}>{words.nobody}</p>
      ) : (
        <section className={css.scroll} aria-label={words.owners} tabIndex={0}>
          <table className={css.table}>
            <thead>
              <tr>
                <th scope="col">{words.owner}</th>
                <th scope="col" className={css.words}>
                  {words.computer}
                </th>
                <th scope="col" className={css.minor}>
                  {words.seen}
                </th>
                <th scope="col" className={css.minor}>
                  {words.ran}
                </th>
                <th scope="col" className={css.minor}>
                  {words.calls}
                </th>
                <th scope="col" className={css.minor}>
                  {words.failed}
                </th>
                <th scope="col">{words.month}</th>
              </tr>
            </thead>
            <tbody>
              {found.items.map((owner) => (
                <Row key={owner.owner_id} owner={owner} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {(pages.length > 0 || found?.next) && (
        <div className={css.acts}>
          <Button disabled={pages.length === 0} onClick={() => setPages(pages.slice(0, -1))}>
            {words.newer}
          </Button>
          <Button disabled={!found?.next} onClick={() => found?.next && setPages([...pages, found.next])}>
            {words.older}
          </Button>
        </div>
      )}
    </>
  );
}
