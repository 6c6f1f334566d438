/** What an owner sees whose everything will be deleted: when, how to take it back, and the archive. */
import { useState } from "react";
import { useStore } from "zustand";
import { undeleteOwner } from "../api/archive.ts";
import { problemOf } from "../api/http.ts";
import { directory, refresh } from "../app/directory.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord } from "../contracts.ts";
import { useLanguage, useText } from "../i18n/text.ts";
import { ArchivePart } from "../settings/ArchivePart.tsx";
import { Button } from "../ui/Button.tsx";
import { dateAndTime } from "../ui/format.ts";
import css from "./LeavingPage.module.css";

export default function LeavingPage({ at }: { at: number }) {
  const t = useText();
  const { locale } = useLanguage();
  const id = useStore(directory, ({ owner }) => owner?.id ?? "");
  const account = useStore(directory, ({ owner }) => owner?.deletion_takes_account === true);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const takeBack = () => {
    setBusy(true);
    setProblem(null);
    undeleteOwner()
      .then(refresh, (reason: unknown) => setProblem(problemOf(reason)))
      .finally(() => setBusy(false));
  };
  return (
    <main className={css.page}>
      <h1>{t.leavingTitle(dateAndTime(at, locale))}</h1>
      <p>{t.leavingAbout(id)}</p>
      {account && <p>{t.leavingAccount}</p>}
      {problem !== null && <Problem problem={problem} />}
      <Button look="primary" disabled={busy} onClick={takeBack}>
        {t.leavingTakeBack}
      </Button>
      <ArchivePart heading="h2" />
    </main>
  );
}
