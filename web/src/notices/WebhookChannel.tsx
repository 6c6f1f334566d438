/** A webhook: its address, the secret that is shown once, and what it carries. */
import { type FormEvent, useState } from "react";
import { removeWebhook, setWebhook } from "../api/notices.ts";
import { CopyButton } from "../cards/CopyButton.tsx";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { Channel } from "./Channel.tsx";
import { ChannelChoices } from "./ChannelChoices.tsx";
import css from "./Notices.module.css";
import type { ChannelProps } from "./NoticesView.tsx";

function Secret({ secret }: { secret: string }) {
  const { notices: t } = useText();
  return (
    <div className={css.secret} role="status">
      <p>{t.secret}</p>
      <div className={css.row}>
        <code>{secret}</code>
        <CopyButton text={() => secret} label={t.copySecret} />
      </div>
    </div>
  );
}

export function WebhookChannel(props: ChannelProps) {
  const { notices, busy, attempt } = props;
  const { notices: t } = useText();
  const [url, setUrl] = useState("");
  const [secret, setSecret] = useState<string | null>(null);
  const place = notices.places.find((one) => one.channel === "webhook");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => {
      setSecret((await setWebhook(url.trim())).secret);
      setUrl("");
    });
  };
  const remove = () => {
    setSecret(null);
    void attempt(removeWebhook);
  };
  return (
    <Channel title={t.channels.webhook}>
      {place === undefined ? (
        <form onSubmit={submit}>
          <Field
            label={t.webhookUrl}
            hint={t.webhookHint}
            value={url}
            type="url"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            placeholder="https://"
            disabled={!notices.keeps_secrets}
            onChange={(event) => setUrl(event.target.value)}
          />
          <Button type="submit" className={css.below} disabled={busy || url.trim() === ""}>
            {t.setUp}
          </Button>
        </form>
      ) : (
        <>
          <div className={css.row}>
            <span className={css.shown}>{place.shown}</span>
            <Button look="quiet" disabled={busy} aria-label={t.removePlace(place.shown)} onClick={remove}>
              {t.remove}
            </Button>
          </div>
          {secret !== null && <Secret secret={secret} />}
          <ChannelChoices channel="webhook" {...props} />
        </>
      )}
    </Channel>
  );
}
