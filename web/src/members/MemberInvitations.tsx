/** Invitations to the workspace that is shown: each by a link that is shown once. */
import { useCallback, useEffect, useState } from "react";
import * as api from "../api/members.ts";
import type { MemberInvitation } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { useTries } from "../sign-in/attempt.ts";
import css from "../sign-in/OwnSection.module.css";
import { Once, Part } from "../sign-in/Part.tsx";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { SelectField } from "../ui/Field.tsx";
import { moment } from "../ui/format.ts";
import { JOIN } from "./joining.ts";
import { ROLES } from "./MemberRow.tsx";

export function MemberInvitations() {
  const { text, locale } = useLanguage();
  const t = text.members;
  const now = useNow(false);
  const { busy, trouble, attempt } = useTries();
  const [items, setItems] = useState<readonly MemberInvitation[]>([]);
  const [link, setLink] = useState<string | null>(null);
  const [role, setRole] = useState<api.Role>("member");
  const look = useCallback(async () => setItems((await api.getMemberInvitations()).items), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked once
  useEffect(() => void attempt(look), []);
  return (
    <Part title={t.invitations} about={t.invitationsAbout} trouble={trouble}>
      {items.length > 0 && (
        <ul className={css.rows}>
          {items.map((one) => (
            <li key={one.id}>
              <span className={css.name}>{t.roles[one.role]}</span>
              <span className={css.facts}>
                {text.signIn.invitationWaits(moment(one.expires_ms, now, locale))}
              </span>
              <Button
                look="quiet"
                disabled={busy}
                onClick={() =>
                  void attempt(async () => {
                    await api.takeBackMemberInvitation(one.id);
                    await look();
                  })
                }
              >
                {text.signIn.invitationBack}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {link !== null && (
        <Once text={link} about={text.signIn.invitationShown} copy={text.signIn.invitationCopy} />
      )}
      <div className={css.line}>
        <SelectField
          label={t.inviteAs}
          value={role}
          choose={setRole}
          options={ROLES.map((value) => ({ value, label: t.roles[value] }))}
        />
        <Button
          disabled={busy}
          onClick={() =>
            void attempt(async () => {
              setLink(`${location.origin}${JOIN}#${(await api.inviteMember(role)).code}`);
              await look();
            })
          }
        >
          {t.invite}
        </Button>
      </div>
      <p className={css.about}>{t.roleAbout[role]}</p>
    </Part>
  );
}
