/** Which notices a channel carries, whether it keeps quiet hours, and a test of it. */
import { useState } from "react";
import { testNotice } from "../api/notices.ts";
import type { NoticeChannel, NoticeDelivery } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Chip } from "../ui/Chip.tsx";
import { Tick } from "../ui/Field.tsx";
import css from "./Notices.module.css";
import type { ChannelProps } from "./NoticesView.tsx";
import { KINDS } from "./notice-settings.ts";

type Props = Pick<ChannelProps, "settings" | "choose" | "busy" | "attempt"> & { channel: NoticeChannel };

function Test({ channel, busy, attempt }: Pick<Props, "channel" | "busy" | "attempt">) {
  const { notices: t } = useText();
  const [came, setCame] = useState<readonly NoticeDelivery[] | null>(null);
  const test = () => {
    setCame(null);
    void attempt(async () => setCame((await testNotice(channel)).items));
  };
  const failed = came?.find((one) => one.state !== "sent");
  return (
    <div className={css.row}>
      <Button onClick={test} disabled={busy}>
        {t.test}
      </Button>
      <span role="status">
        {came !== null && failed === undefined && <Chip tone="finished">{t.states.sent}</Chip>}
        {failed !== undefined && (
          <Chip tone="failed">
            {t.states[failed.state]}
            {failed.reason !== null && ` · ${t.reasons[failed.reason]}`}
            {failed.status !== null && ` (${failed.status})`}
          </Chip>
        )}
      </span>
    </div>
  );
}

export function ChannelChoices({ channel, settings, choose, busy, attempt }: Props) {
  const { notices: t } = useText();
  const choice = settings[channel];
  const change = (part: Partial<typeof choice>) => choose({ [channel]: { ...choice, ...part } });
  return (
    <>
      <fieldset className={css.kinds}>
        <legend>{t.which}</legend>
        {KINDS.map((kind) => (
          <Tick
            key={kind}
            label={t.kinds[kind]}
            ticked={choice.on && choice.kinds.includes(kind)}
            tick={(is) =>
              change({
                on: true,
                kinds: KINDS.filter((one) => (one === kind ? is : choice.kinds.includes(one))),
              })
            }
          />
        ))}
        <Tick label={t.keepsQuiet} ticked={choice.quiet} tick={(quiet) => change({ quiet })} />
      </fieldset>
      <Test channel={channel} busy={busy} attempt={attempt} />
    </>
  );
}
