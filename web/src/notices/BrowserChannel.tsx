/** Notices in browsers: this one's standing, what it can do about it, and the owner's others. */
import { useState } from "react";
import { addSubscription, removeSubscription } from "../api/notices.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { moment } from "../ui/format.ts";
import { Channel } from "./Channel.tsx";
import { ChannelChoices } from "./ChannelChoices.tsx";
import css from "./Notices.module.css";
import type { ChannelProps } from "./NoticesView.tsx";
import { type PushStanding, subscribe, unsubscribe } from "./push.ts";

interface BrowserChannelProps extends ChannelProps {
  standing: PushStanding;
  /** The id of this browser's own place. */
  own: string | null;
}

function Here({ notices, busy, attempt, standing, own }: BrowserChannelProps) {
  const { notices: t } = useLanguage().text;
  // What the browser itself said no to; the server's own refusals are shown by whoever attempts.
  const [refused, setRefused] = useState<"dismissed" | "noService" | null>(null);
  const begin = async () => {
    setRefused(null);
    try {
      const made = await subscribe(notices.push_key ?? "");
      if (made === null) setRefused("dismissed");
      else await attempt(() => addSubscription(made));
    } catch (reason) {
      // It asks a service of its maker, which may be out of reach or switched off.
      if (!(reason instanceof DOMException)) throw reason;
      setRefused("noService");
    }
  };
  const end = (id: string) =>
    void attempt(async () => {
      await removeSubscription(id);
      await unsubscribe();
    });
  return (
    <>
      <p className={css.fact} data-standing={standing}>
        {t.standings[standing]}
      </p>
      {standing === "off" && (
        <Button look="primary" disabled={busy} onClick={() => void begin()}>
          {t.begin}
        </Button>
      )}
      {standing === "on" && own !== null && (
        <Button disabled={busy} onClick={() => end(own)}>
          {t.end}
        </Button>
      )}
      {refused !== null && (
        <p role="alert" className={css.wrong}>
          {t[refused]}
        </p>
      )}
    </>
  );
}

export function BrowserChannel(props: BrowserChannelProps) {
  const { notices, own, busy, attempt } = props;
  const { text, locale } = useLanguage();
  const { notices: t } = text;
  const now = useNow(false);
  const browsers = notices.places.filter((place) => place.channel === "push");
  const others = browsers.filter((place) => place.id !== own);
  return (
    <Channel title={t.channels.push}>
      <Here {...props} />
      {others.length > 0 && (
        <ul className={css.places} aria-label={t.others}>
          {others.map((place) => (
            <li key={place.id}>
              <span>{place.shown}</span>
              <small>{t.since(moment(place.created_ms, now, locale))}</small>
              <Button
                look="quiet"
                disabled={busy}
                aria-label={t.removePlace(place.shown)}
                onClick={() => void attempt(() => removeSubscription(place.id))}
              >
                {t.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {browsers.length > 0 && <ChannelChoices channel="push" {...props} />}
    </Channel>
  );
}
