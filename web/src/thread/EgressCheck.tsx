/** Asks whether the computer may read an address, before a command tries it. Nothing is fetched. */
import { type FormEvent, useRef, useState } from "react";
import { checkEgress } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { AllowHost } from "../cards/AllowHost.tsx";
import { Problem } from "../cards/Problem.tsx";
import type { EgressVerdict, Problem as ProblemRecord } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Chip } from "../ui/Chip.tsx";
import { Field } from "../ui/Field.tsx";
import css from "./EgressCheck.module.css";

const ADDRESS_CHARACTERS_MAX = 2_000;

function Verdict({ verdict, opened }: { verdict: EgressVerdict; opened: () => void }) {
  const t = useText();
  return (
    <>
      <Chip tone={verdict.allowed ? "finished" : "failed"}>
        {verdict.allowed ? t.addressAllowed : t.addressDenied}
      </Chip>
      <bdi>{verdict.host}</bdi>
      {verdict.can_open && <AllowHost key={verdict.host} host={verdict.host} done={opened} />}
      <span className={css.reason}>{`${verdict.rule}: ${verdict.reason}`}</span>
    </>
  );
}

export function EgressCheck({ opened }: { opened: () => void }) {
  const t = useText();
  const [url, setUrl] = useState("");
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<EgressVerdict | null>(null);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  // The answer to an address that stands there no more says nothing of the one that does.
  const asked = useRef(0);
  const forget = () => {
    asked.current += 1;
    setAnswer(null);
    setProblem(null);
    setBusy(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy || url.trim() === "") return;
    forget();
    const mine = asked.current;
    setBusy(true);
    checkEgress(url.trim())
      .then(
        (verdict) => mine === asked.current && setAnswer(verdict),
        (reason: unknown) => {
          const said = problemOf(reason);
          if (mine === asked.current) setProblem(said);
        },
      )
      .finally(() => mine === asked.current && setBusy(false));
  };
  return (
    <form onSubmit={submit} noValidate data-egress-check>
      <div className={css.ask}>
        <Field
          label={t.checkAddress}
          value={url}
          maxLength={ADDRESS_CHARACTERS_MAX}
          inputMode="url"
          placeholder="https://"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => {
            setUrl(event.target.value);
            forget();
          }}
        />
        <Button type="submit" disabled={busy || url.trim() === ""}>
          {t.check}
        </Button>
      </div>
      <div className={css.answer} role="status">
        {answer !== null && <Verdict verdict={answer} opened={opened} />}
      </div>
      {problem !== null && <Problem problem={problem} />}
    </form>
  );
}
