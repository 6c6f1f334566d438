/** Whom an operator has invited: by links that are shown once. */
import { useCallback, useEffect, useState } from "react";
import { getInvitations, invite, takeBackInvitation } from "../api/sign-in.ts";
import type { Invitation } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { moment } from "../ui/format.ts";
import { useTries } from "./attempt.ts";
import css from "./OwnSection.module.css";
import { Once, Part } from "./Part.tsx";

export function Invitations() {
  const { text, locale } = useLanguage();
  const t = text.signIn;
  const now = useNow(false);
  const { busy, trouble, attempt } = useTries();
  const [invitations, setInvitations] = useState<readonly Invitation[]>([]);
  const [link, setLink] = useState<string | null>(null);
  const look = useCallback(async () => setInvitations((await getInvitations()).items), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked once
  useEffect(() => void attempt(look), []);
  const standing = (one: Invitation) => {
    if (one.used_ms != null) return t.invitationUsed;
    if (one.expires_ms <= now) return t.invitationEnded;
    return t.invitationWaits(moment(one.expires_ms, now, locale));
  };
  const make = () =>
    attempt(async () => {
      setLink(`${location.origin}/sign-up#${(await invite()).code}`);
      await look();
    });
  return (
    <Part title={t.invitations} about={t.invitationsAbout} trouble={trouble}>
      {invitations.length > 0 && (
        <ul className={css.rows}>
          {invitations.map((one) => (
            <li key={one.id}>
              <span className={css.name}>{t.invitationOf(moment(one.created_ms, now, locale))}</span>
              <span className={css.facts}>{standing(one)}</span>
              {one.used_ms == null && (
                <Button
                  look="quiet"
                  disabled={busy}
                  onClick={() =>
                    void attempt(async () => {
                      await takeBackInvitation(one.id);
                      await look();
                    })
                  }
                >
                  {t.invitationBack}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {link !== null && <Once text={link} about={t.invitationShown} copy={t.invitationCopy} />}
      <div className={css.line}>
        <Button disabled={busy} onClick={() => void make()}>
          {t.invitationMake}
        </Button>
      </div>
    </Part>
  );
}
