/** What this month has cost and what is left, with the way to the page that says where it went. */
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { getAllowance } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import type { Allowance } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { dollars } from "../ui/format.ts";
import css from "./ComputerButton.module.css";

const REFRESH_MS = 60_000;

/** The allowance as it is, asked for again while somebody looks; null until it is known. */
export function useAllowance(): Allowance | null {
  const [allowance, setAllowance] = useState<Allowance | null>(null);
  useEffect(() => {
    let stale = false;
    const ask = () =>
      getAllowance().then(
        (answer) => !stale && setAllowance(answer),
        (reason: unknown) => problemOf(reason),
      );
    void ask();
    const timer = setInterval(() => document.visibilityState === "visible" && void ask(), REFRESH_MS);
    return () => {
      stale = true;
      clearInterval(timer);
    };
  }, []);
  return allowance;
}

export function CostSoFar({ close }: { close?: (() => void) | undefined }) {
  const { text: t, locale } = useLanguage();
  const allowance = useAllowance();
  if (allowance === null) return null;
  const [spent, left] = [allowance.spent_micro, allowance.balance_micro].map((micro) =>
    dollars(micro, locale, 2),
  );
  return (
    <p className={allowance.exhausted ? css.failed : undefined}>
      {t.costSoFar(spent ?? "", left ?? "")}{" "}
      <Link href="/settings/usage" onClick={close}>
        {t.usage}
      </Link>
    </p>
  );
}
