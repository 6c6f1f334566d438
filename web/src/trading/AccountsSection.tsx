/** Where orders go, and the accounts that they may go to: connected, chosen, removed. Real money is said so first. */
import { useState } from "react";
import { useStore } from "zustand";
import { removeAccount, setUsualPaper } from "../api/berth.ts";
import { directory } from "../app/directory.ts";
import { refreshTrading, setVenue } from "../app/trading.ts";
import type { Trading, TradingAccount } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { agentWord, mayTrade, short } from "./account-form.ts";
import { type Attempt, useAttempt } from "./attempt.ts";
import { ConnectForm } from "./ConnectForm.tsx";
import { NetworkChip } from "./NetworkChip.tsx";
import { Came, Section } from "./Section.tsx";
import css from "./Trading.module.css";

interface AccountProps {
  account: TradingAccount;
  used: boolean;
  came: Attempt;
  removed: (id: string) => void;
}

/** What a person is asked before it happens. */
type Asked = "remove" | "real" | null;

function Account({ account, used, came, removed }: AccountProps) {
  const { text: t, locale } = useLanguage();
  const [asked, setAsked] = useState<Asked>(null);
  const now = useNow(false);
  const name = short(account.address);
  const choose = () => {
    if (account.network === "mainnet" && asked !== "real") return setAsked("real");
    setAsked(null);
    void came.attempt(() => setVenue({ venue: "hyperliquid", account_id: account.id }));
  };
  const remove = () => {
    if (asked !== "remove") return setAsked("remove");
    void came.attempt(async () => {
      await removeAccount(account.id);
      removed(account.id);
      await refreshTrading();
    });
  };
  return (
    <li data-used={used}>
      <bdi className={css.address}>{account.address}</bdi>
      <span className={css.facts}>
        <NetworkChip network={account.network} />
        {agentWord(account, now, t, locale)}
        {used && <strong>{t.trading.inUse}</strong>}
      </span>
      {asked !== null && (
        <p className={css.real} role="alert">
          {asked === "real" ? t.trading.mainnetSure : t.trading.removeSure(name)}
        </p>
      )}
      <span className={css.buttons}>
        {!used && mayTrade(account, now) && asked !== "remove" && (
          <Button
            disabled={came.busy}
            aria-label={asked === "real" ? undefined : t.trading.chooseAccount(name)}
            onClick={choose}
          >
            {asked === "real" ? t.trading.useReal : t.trading.useThis}
          </Button>
        )}
        {asked !== "real" && (
          <Button
            look="danger"
            disabled={came.busy}
            aria-label={t.trading.removeAccount(name)}
            onClick={remove}
          >
            {t.trading.remove}
          </Button>
        )}
        {asked !== null && (
          <Button look="quiet" onClick={() => setAsked(null)}>
            {t.cancel}
          </Button>
        )}
      </span>
    </li>
  );
}

/** What its owner has changed about the paper market, over the API: nobody is to wonder at it later. */
function PaperMarket({ trading, came }: { trading: Trading; came: Attempt }) {
  const { text: t } = useLanguage();
  const losses: Record<string, string> = t.trading.paperLoses;
  const loses = losses[trading.paper_loses ?? "nothing"];
  if (!trading.paper_replays && loses === undefined) return null;
  const usual = async () => {
    await setUsualPaper();
    await refreshTrading();
  };
  return (
    <>
      <p className={css.hint}>
        {[trading.paper_replays && t.trading.paperReplays, loses].filter(Boolean).join(" ")}
      </p>
      <div className={css.buttons}>
        <Button disabled={came.busy} onClick={() => void came.attempt(usual)}>
          {t.trading.paperUsual}
        </Button>
      </div>
    </>
  );
}

interface AccountsProps {
  trading: Trading;
  /** Null where they could not be read. */
  accounts: readonly TradingAccount[] | null;
  setAccounts: (accounts: readonly TradingAccount[]) => void;
}

export function AccountsSection({ trading, accounts, setAccounts }: AccountsProps) {
  const { text: t } = useLanguage();
  const network = useStore(directory, ({ owner }) => owner?.network ?? "");
  const came = useAttempt();
  const meanings: Record<string, string> = t.trading.networkMeanings;
  const others = (id: string) => (accounts ?? []).filter((one) => one.id !== id);
  return (
    <>
      <Section title={t.trading.where}>
        <p className={css.where}>
          <NetworkChip network={trading.network} />
          {meanings[trading.network]}
        </p>
        {trading.network === "paper" && <PaperMarket trading={trading} came={came} />}
        {trading.account_id && <bdi className={css.address}>{trading.account}</bdi>}
        {trading.account_id && (
          <div className={css.buttons}>
            <Button
              disabled={came.busy}
              onClick={() => void came.attempt(() => setVenue({ venue: "paper" }))}
            >
              {t.trading.usePaper}
            </Button>
          </div>
        )}
      </Section>
      <Section title={t.trading.accountsTitle}>
        {accounts === null && <p className={css.hint}>{t.trading.accountsUnread}</p>}
        {accounts?.length === 0 && <p className={css.hint}>{t.trading.accountsNone}</p>}
        {accounts !== null && accounts.length > 0 && (
          <ul className={css.accounts}>
            {accounts.map((account) => (
              <Account
                key={account.id}
                account={account}
                used={account.id === trading.account_id}
                came={came}
                removed={(id) => setAccounts(others(id))}
              />
            ))}
          </ul>
        )}
        <Came of={came} />
        <h4 className={css.where}>
          {t.trading.connect} {network !== "" && <NetworkChip network={network} />}
        </h4>
        <ConnectForm connected={(account) => setAccounts([...others(account.id), account])} />
      </Section>
    </>
  );
}
