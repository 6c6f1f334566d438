/** How approvals are asked for: how far a price may move meanwhile, and how long a person has. */
import { type FormEvent, useState } from "react";
import { setApprovals } from "../app/trading.ts";
import type { Trading } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import {
  EXPIRY_MINUTES_MAX,
  EXPIRY_MINUTES_MIN,
  expirySeconds,
  PRICE_MOVE_MAX,
  priceMove,
} from "./approval-form.ts";
import { useAttempt } from "./attempt.ts";
import { Came, Section } from "./Section.tsx";
import css from "./Trading.module.css";

export function ApprovalSection({ trading }: { trading: Trading }) {
  const t = useText();
  const { price_move_percent = "1", expires_seconds = 900 } = trading.approvals;
  const [move, setMove] = useState(price_move_percent);
  const [minutes, setMinutes] = useState(String(Math.round(expires_seconds / 60)));
  const [tried, setTried] = useState(false);
  const came = useAttempt();
  const moveHint = t.trading.priceMoveHint(String(PRICE_MOVE_MAX));
  const expiryHint = t.trading.expiryHint(String(EXPIRY_MINUTES_MIN), String(EXPIRY_MINUTES_MAX));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const [percent, seconds] = [priceMove(move), expirySeconds(minutes)];
    if (percent === null || seconds === null) return;
    void came.attempt(() => setApprovals({ price_move_percent: percent, expires_seconds: seconds }));
  };
  return (
    <Section title={t.trading.approvalsTitle}>
      <form className={css.fields} onSubmit={submit} noValidate>
        <Field
          label={t.trading.priceMove}
          hint={moveHint}
          wrong={tried && priceMove(move) === null ? moveHint : null}
          value={move}
          inputMode="decimal"
          autoComplete="off"
          onChange={(event) => setMove(event.target.value)}
        />
        <Field
          label={t.trading.expiry}
          hint={expiryHint}
          wrong={tried && expirySeconds(minutes) === null ? expiryHint : null}
          value={minutes}
          inputMode="numeric"
          autoComplete="off"
          onChange={(event) => setMinutes(event.target.value)}
        />
        <Button type="submit" disabled={came.busy}>
          {t.trading.save}
        </Button>
        <Came of={came} />
      </form>
    </Section>
  );
}
