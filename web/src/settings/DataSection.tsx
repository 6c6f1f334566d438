/** How long what was said and done is kept, what that has removed, and the end of everything. */

import { type FormEvent, lazy, useState } from "react";
import { useStore } from "zustand";
import { problemOf } from "../api/http.ts";
import { changeRetention, directory } from "../app/directory.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord, Retention } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { SelectField } from "../ui/Field.tsx";
import { LazyPart } from "../ui/LazyPart.tsx";
import { ArchivePart } from "./ArchivePart.tsx";
import css from "./DataSection.module.css";
import { AGES, EVER, KINDS, removesMore, shownAs, withAge } from "./retention-form.ts";

const DeleteEverythingDialog = lazy(() => import("../thread/DeleteEverythingDialog.tsx"));

function Ages({ days, choose }: { days: Retention; choose: (days: Retention) => void }) {
  const t = useText();
  return (
    <>
      {KINDS.map((kind) => {
        const value = shownAs(days[kind]);
        const ages = AGES.includes(value) ? AGES : [value, ...AGES];
        return (
          <SelectField
            key={kind}
            label={t.kept[kind]}
            hint={t.keptHint[kind]}
            value={value}
            choose={(age) => choose(withAge(days, kind, age))}
            options={ages.map((age) => ({
              value: age,
              label: age === EVER ? t.keptEver : t.keptDays(Number(age)),
            }))}
          />
        );
      })}
      <dl className={css.fixed}>
        <dt>{t.keptLive}</dt>
        <dd>{t.keptLiveHint}</dd>
      </dl>
    </>
  );
}

/** Nothing of it holds before it is saved: what goes does not come back. */
function Keeping() {
  const t = useText();
  const owner = useStore(directory, (all) => all.owner);
  const [wanted, setWanted] = useState<Retention | null>(null);
  const [busy, setBusy] = useState(false);
  const [saved, setSaved] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  if (owner === null) return null;
  const kept = owner.retention ?? {};
  const days = wanted ?? kept;
  const choose = (chosen: Retention) => {
    setWanted(chosen);
    setSaved(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setProblem(null);
    changeRetention(days).then(
      () => {
        setWanted(null);
        setSaved(true);
        setBusy(false);
      },
      (reason: unknown) => {
        setProblem(problemOf(reason));
        setBusy(false);
      },
    );
  };
  const { results = 0, pictures = 0, threads = 0 } = owner.retained ?? {};
  return (
    <form onSubmit={submit}>
      <section aria-label={t.keptTitle}>
        <h3 className={css.heading}>{t.keptTitle}</h3>
        <p className={css.about}>{t.keptAbout}</p>
        <Ages days={days} choose={choose} />
        <p className={css.counts}>{t.keptRemoved(results, pictures, threads)}</p>
        {removesMore(kept, days) && (
          <p className={css.warning} role="alert">
            {t.keptWarning}
          </p>
        )}
        {problem !== null && <Problem problem={problem} />}
        <Button look="primary" type="submit" className={css.save} disabled={busy || wanted === null}>
          {t.save}
        </Button>
        <p className={css.saved} role="status">
          {saved && t.settingsSaved}
        </p>
      </section>
    </form>
  );
}

export default function DataSection() {
  const t = useText();
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      <Keeping />
      <ArchivePart />
      <div className={css.end}>
        <Button look="danger" onClick={() => setDeleting(true)}>
          {t.deleteEverything}
        </Button>
      </div>
      {deleting && (
        <LazyPart close={() => setDeleting(false)}>
          <DeleteEverythingDialog close={() => setDeleting(false)} />
        </LazyPart>
      )}
    </>
  );
}
