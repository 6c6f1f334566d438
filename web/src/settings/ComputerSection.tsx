/** The computer apart from any thread: how it is, what it reaches and costs, its files, standby and reset. */

import clsx from "clsx";
import { lazy, useEffect, useState } from "react";
import { getComputer } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Computer, Problem as ProblemRecord } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import facts from "../thread/ComputerButton.module.css";
import { computerWord } from "../thread/ComputerButton.tsx";
import { ComputerFacts } from "../thread/ComputerFacts.tsx";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { moment } from "../ui/format.ts";
import { LazyPart } from "../ui/LazyPart.tsx";
import css from "./ComputerSection.module.css";

const DIALOGS = {
  reset: lazy(() => import("../thread/ResetDialog.tsx")),
  files: lazy(() => import("../thread/FilesDialog.tsx")),
};
const REFRESH_MS = 5_000;

export default function ComputerSection() {
  const { text: t, locale } = useLanguage();
  const now = useNow(false);
  const [computer, setComputer] = useState<Computer | null>(null);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const [asked, setAsked] = useState(0);

  // No thread's stream tells of it here.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was done to it is a reason to ask again
  useEffect(() => {
    let stale = false;
    const ask = () =>
      getComputer().then(
        (answer) => {
          if (stale) return;
          setComputer(answer);
          setProblem(null);
        },
        (reason: unknown) => !stale && setProblem(problemOf(reason)),
      );
    void ask();
    const timer = setInterval(() => document.visibilityState === "visible" && void ask(), REFRESH_MS);
    return () => {
      stale = true;
      clearInterval(timer);
    };
  }, [asked]);

  const close = () => {
    setOpen(null);
    setAsked(asked + 1);
  };
  if (computer === null) {
    if (problem === null) return <p role="status">{t.loading}</p>;
    return (
      <Problem problem={problem}>
        <Button onClick={() => setAsked(asked + 1)}>{t.retry}</Button>
      </Problem>
    );
  }
  const Open = open === null ? null : DIALOGS[open];
  return (
    <div className={clsx(facts.facts, css.facts)}>
      <h3>
        {computerWord(computer, t)}
        <span>{t.computerSince(moment(computer.since_ms, now, locale))}</span>
      </h3>
      <ComputerFacts
        computer={computer}
        changed={setComputer}
        askReset={() => setOpen("reset")}
        showFiles={() => setOpen("files")}
      />
      {Open !== null && (
        <LazyPart close={close}>
          <Open computer={computer} close={close} />
        </LazyPart>
      )}
    </div>
  );
}
