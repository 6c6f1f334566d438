/** Mail: an address, which counts when the code that was sent there has been typed. */
import { type FormEvent, useState } from "react";
import { askEmail, confirmEmail, removeEmail } from "../api/notices.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { Channel } from "./Channel.tsx";
import { ChannelChoices } from "./ChannelChoices.tsx";
import css from "./Notices.module.css";
import type { ChannelProps } from "./NoticesView.tsx";

function Ask({ busy, attempt, asked }: Pick<ChannelProps, "busy" | "attempt"> & { asked: string | null }) {
  const { notices: t } = useText();
  const [address, setAddress] = useState("");
  const [code, setCode] = useState("");
  const ask = (event: FormEvent) => {
    event.preventDefault();
    void attempt(() => askEmail(address.trim())).then((went) => went && setAddress(""));
  };
  const confirm = (event: FormEvent) => {
    event.preventDefault();
    void attempt(() => confirmEmail(code.trim())).then(() => setCode(""));
  };
  return (
    <>
      {asked !== null && (
        <form onSubmit={confirm} className={css.asked}>
          <Field
            label={t.code(asked)}
            value={code}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            onChange={(event) => setCode(event.target.value)}
          />
          <Button
            type="submit"
            look="primary"
            className={css.below}
            disabled={busy || !/^\d{6}$/.test(code.trim())}
          >
            {t.confirm}
          </Button>
        </form>
      )}
      <form onSubmit={ask}>
        <Field
          label={asked === null ? t.address : t.anotherAddress}
          value={address}
          type="email"
          autoComplete="email"
          onChange={(event) => setAddress(event.target.value)}
        />
        <Button type="submit" className={css.below} disabled={busy || address.trim() === ""}>
          {t.sendCode}
        </Button>
      </form>
    </>
  );
}

export function EmailChannel(props: ChannelProps) {
  const { notices, busy, attempt } = props;
  const { notices: t } = useText();
  const place = notices.places.find((one) => one.channel === "email");
  return (
    <Channel title={t.channels.email}>
      {place !== undefined && (
        <>
          <div className={css.row}>
            <span className={css.shown}>{place.shown}</span>
            <Button
              look="quiet"
              disabled={busy}
              aria-label={t.removePlace(place.shown)}
              onClick={() => void attempt(removeEmail)}
            >
              {t.remove}
            </Button>
          </div>
          <ChannelChoices channel="email" {...props} />
        </>
      )}
      {place === undefined && !notices.email_available && <p className={css.fact}>{t.noMail}</p>}
      {place === undefined && notices.email_available && (
        <Ask busy={busy} attempt={attempt} asked={notices.email_asked} />
      )}
    </Channel>
  );
}
