/** Connecting an account. The key leaves the page with the request, whatever comes of it, and is never shown again. */
import { type FormEvent, useState } from "react";
import { connectAccount } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord, TradingAccount } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { isAddress, isKey } from "./account-form.ts";
import css from "./Trading.module.css";

type Failure = ProblemRecord | "unreachable";

function useConnect(connected: (account: TradingAccount) => void) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const connect = async (address: string, key: string): Promise<boolean> => {
    setBusy(true);
    setFailure(null);
    try {
      connected(await connectAccount({ address, ...(key === "" ? {} : { agent_key: key }) }));
      return true;
    } catch (reason) {
      setFailure(problemOf(reason));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure, connect };
}

/** The reason in the person's language, where the server gave one that is known. */
function Refusal({ failure }: { failure: Failure }) {
  const t = useText();
  const words: Record<string, string> = t.trading.accountRefused;
  const known = failure === "unreachable" ? undefined : words[String(failure.details?.reason)];
  if (failure === "unreachable" || known === undefined) return <Problem problem={failure} />;
  return <Problem problem={{ ...failure, message: known }} />;
}

export function ConnectForm({ connected }: { connected: (account: TradingAccount) => void }) {
  const t = useText();
  const [address, setAddress] = useState("");
  const [key, setKey] = useState("");
  const [tried, setTried] = useState(false);
  const { busy, failure, connect } = useConnect(connected);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!isAddress(address) || !isKey(key) || busy) return;
    const given = key.trim();
    setKey("");
    setTried(false);
    void connect(address.trim(), given).then((done) => done && setAddress(""));
  };
  return (
    <form className={css.fields} onSubmit={submit} noValidate>
      <Field
        label={t.trading.connectAddress}
        wrong={tried && !isAddress(address) ? t.trading.connectAddressNeeded : null}
        value={address}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setAddress(event.target.value)}
      />
      <Field
        label={t.trading.connectKey}
        hint={t.trading.connectKeyHint}
        wrong={tried && !isKey(key) ? t.trading.connectKeyNeeded : null}
        type="password"
        value={key}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setKey(event.target.value)}
      />
      <Button type="submit" disabled={busy}>
        {key.trim() === "" ? t.trading.watchOnly : t.trading.connectNow}
      </Button>
      {failure !== null && (
        <div className={css.problem}>
          <Refusal failure={failure} />
        </div>
      )}
    </form>
  );
}
