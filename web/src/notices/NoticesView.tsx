/** The settings of notices as they stand: where they go, which ones, when not, and the last ones. */
import type { NoticeDelivery, NoticeSettings, Notices } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Tick } from "../ui/Field.tsx";
import { BrowserChannel } from "./BrowserChannel.tsx";
import { Channel } from "./Channel.tsx";
import { Deliveries } from "./Deliveries.tsx";
import { EmailChannel } from "./EmailChannel.tsx";
import css from "./Notices.module.css";
import { type FullSettings, fullSettings } from "./notice-settings.ts";
import type { PushStanding } from "./push.ts";
import { QuietFields } from "./QuietFields.tsx";
import { WebhookChannel } from "./WebhookChannel.tsx";

/** What each part of it is given. */
export interface ChannelProps {
  notices: Notices;
  settings: FullSettings;
  busy: boolean;
  choose: (change: Partial<FullSettings>) => void;
  /** Does something, shows what it came to, and says whether it went well. */
  attempt: (action: () => Promise<unknown>) => Promise<boolean>;
}

interface NoticesViewProps extends Pick<ChannelProps, "notices" | "busy" | "attempt"> {
  deliveries: readonly NoticeDelivery[];
  standing: PushStanding;
  own: string | null;
  keep: (settings: NoticeSettings) => void;
}

export function NoticesView({ notices, deliveries, standing, own, busy, attempt, keep }: NoticesViewProps) {
  const t = useText();
  const settings = fullSettings(notices.settings);
  const choose = (change: Partial<FullSettings>) => keep({ ...settings, ...change });
  const channel: ChannelProps = { notices, settings, busy, choose, attempt };
  return (
    <>
      <p className={css.lead}>{t.notices.lead}</p>
      <BrowserChannel {...channel} standing={standing} own={own} />
      <WebhookChannel {...channel} />
      <EmailChannel {...channel} />
      <Channel title={t.notices.when}>
        <Tick
          label={t.notices.whileOpen}
          ticked={settings.while_open}
          tick={(while_open) => choose({ while_open })}
        />
        <Tick label={t.notices.titles} ticked={settings.titles} tick={(titles) => choose({ titles })} />
        <QuietFields zone={notices.time_zone} quiet={settings.quiet} choose={(quiet) => choose({ quiet })} />
      </Channel>
      {deliveries.length > 0 && <Deliveries deliveries={deliveries} />}
    </>
  );
}
