/** The owner's trading: where orders go, the kill switch, what goes without asking, and how approvals are asked for. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { getAccounts } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { refreshTrading, standing } from "../app/trading.ts";
import type { Trading, TradingAccount } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { AccountsSection } from "./AccountsSection.tsx";
import { ApprovalSection } from "./ApprovalSection.tsx";
import { useAttempt } from "./attempt.ts";
import { RulesSection } from "./RulesSection.tsx";
import { Came } from "./Section.tsx";
import { SwitchSection } from "./SwitchSection.tsx";
import css from "./Trading.module.css";

type Accounts = readonly TradingAccount[];

interface SectionsProps {
  trading: Trading;
  accounts: Accounts | null;
  setAccounts: (accounts: Accounts) => void;
}

export function TradingSections({ trading, accounts, setAccounts }: SectionsProps) {
  return (
    <>
      <SwitchSection trading={trading} />
      <AccountsSection trading={trading} accounts={accounts} setAccounts={setAccounts} />
      <RulesSection trading={trading} />
      <ApprovalSection trading={trading} />
    </>
  );
}

export default function TradingSettings() {
  const t = useText();
  const trading = useStore(standing, (all) => all.trading);
  const [accounts, setAccounts] = useState<Accounts | null>([]);
  const came = useAttempt();
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when it opens
  useEffect(() => {
    void came.attempt(refreshTrading);
    getAccounts().then(
      ({ items }) => setAccounts(items),
      (reason: unknown) => {
        problemOf(reason);
        setAccounts(null);
      },
    );
  }, []);
  return (
    <>
      {trading === null ? (
        came.problem === null && <p className={css.hint}>{t.loading}</p>
      ) : (
        <TradingSections trading={trading} accounts={accounts} setAccounts={setAccounts} />
      )}
      {came.problem !== null && <Came of={came} />}
    </>
  );
}
