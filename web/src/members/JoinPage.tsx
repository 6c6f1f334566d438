/** What an invitation's link opens for who is signed in: what it is for, and one button. */
import { Users } from "lucide-react";
import { useEffect, useState } from "react";
import { acceptInvitation, lookAtInvitation } from "../api/members.ts";
import { pageOf } from "../api/whose.ts";
import type { InvitedTo } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Choosers } from "../rail/Choosers.tsx";
import { useTries } from "../sign-in/attempt.ts";
import { Head } from "../sign-in/Head.tsx";
import css from "../sign-in/SignIn.module.css";
import { TroubleNote } from "../sign-in/TroubleNote.tsx";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { moment } from "../ui/format.ts";
import { codeToJoin, forgetCode } from "./joining.ts";

/** Nothing of what was shown before stays on the page: it is loaded anew. */
function go(to: string): void {
  forgetCode();
  location.assign(to);
}

export default function JoinPage() {
  const { text, locale } = useLanguage();
  const t = text.members;
  const now = useNow(false);
  const { busy, trouble, attempt } = useTries();
  const [code] = useState(codeToJoin);
  const [invited, setInvited] = useState<InvitedTo | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked once
  useEffect(() => void attempt(async () => setInvited(await lookAtInvitation(code))), []);
  const title = invited === null ? t.join : t.joinTitle(invited.name);
  const about =
    invited === null
      ? undefined
      : `${t.roles[invited.role]}: ${t.roleAbout[invited.role]} ${t.joinUntil(moment(invited.expires_ms, now, locale))}`;
  return (
    <div className={css.page}>
      <div className={css.top}>
        <Choosers />
      </div>
      <main className={css.middle}>
        <Head title={title} about={about} />
        <TroubleNote trouble={trouble} />
        <div className={css.ways}>
          {invited !== null && (
            <Button
              look="primary"
              disabled={busy}
              onClick={() => void attempt(async () => go(`${pageOf((await acceptInvitation(code)).id)}/`))}
            >
              <Users size={17} aria-hidden="true" />
              {t.join}
            </Button>
          )}
          <Button onClick={() => go("/")}>{t.toOwn}</Button>
        </div>
      </main>
    </div>
  );
}
