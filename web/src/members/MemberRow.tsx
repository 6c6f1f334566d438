/** One member: an owner chooses the role of others and takes them out, which is asked for twice. */
import { UserMinus } from "lucide-react";
import { useState } from "react";
import * as api from "../api/members.ts";
import type { Member } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import css from "../sign-in/OwnSection.module.css";
import { Button } from "../ui/Button.tsx";
import { SelectField } from "../ui/Field.tsx";

export const ROLES = ["owner", "member", "viewer"] as const;

interface MemberRowProps {
  member: Member;
  oneself: boolean;
  manages: boolean;
  busy: boolean;
  act: (work: () => Promise<unknown>) => void;
}

export function MemberRow({ member, oneself, manages, busy, act }: MemberRowProps) {
  const { members: t, cancel } = useText();
  const [leaving, setLeaving] = useState(false);
  const { person_id: id, name, role } = member;
  return (
    <li>
      <span className={css.name}>
        <bdi>{name || id}</bdi> {oneself && `(${t.you})`}
      </span>
      <span className={css.facts}>{`${t.roles[role]} · ${t.roleAbout[role]}`}</span>
      {manages && !oneself && !leaving && (
        <span className={css.buttons}>
          <SelectField
            label={t.roleOf(name || id)}
            value={role}
            choose={(chosen) => act(() => api.changeRole(id, chosen))}
            options={ROLES.map((value) => ({ value, label: t.roles[value] }))}
          />
          <Button
            icon
            look="quiet"
            aria-label={t.remove(name || id)}
            disabled={busy}
            onClick={() => setLeaving(true)}
          >
            <UserMinus size={15} aria-hidden="true" />
          </Button>
        </span>
      )}
      {leaving && (
        <span className={css.buttons}>
          <Button look="danger" disabled={busy} onClick={() => act(() => api.removeMember(id))}>
            {t.removeNow}
          </Button>
          <Button look="quiet" onClick={() => setLeaving(false)}>
            {cancel}
          </Button>
        </span>
      )}
    </li>
  );
}
