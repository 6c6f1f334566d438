/** Who belongs to the workspace that is shown; of one's own, which workspaces one belongs to. */
import { type FormEvent, useCallback, useEffect, useState } from "react";
import { Link } from "wouter";
import { useStore } from "zustand";
import * as berth from "../api/berth.ts";
import * as api from "../api/members.ts";
import { pageOf, workspaceId } from "../api/whose.ts";
import { directory } from "../app/directory.ts";
import { useMay } from "../app/rights.ts";
import type { Member, Membership } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { useTries } from "../sign-in/attempt.ts";
import css from "../sign-in/OwnSection.module.css";
import { Part } from "../sign-in/Part.tsx";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { MemberInvitations } from "./MemberInvitations.tsx";
import { MemberRow } from "./MemberRow.tsx";

const NAME_CHARACTERS_MAX = 60;

function NameForm({
  label,
  button,
  done,
  busy,
}: {
  label: string;
  button: string;
  done: (name: string) => void;
  busy: boolean;
}) {
  const [name, setName] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    done(name.trim());
    setName("");
  };
  return (
    <form onSubmit={submit} className={css.line}>
      <Field
        label={label}
        value={name}
        maxLength={NAME_CHARACTERS_MAX}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" disabled={busy || name.trim() === ""}>
        {button}
      </Button>
    </form>
  );
}

function Workspaces() {
  const { members: t } = useText();
  const { busy, trouble, attempt } = useTries();
  const [items, setItems] = useState<readonly Membership[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked once
  useEffect(() => void attempt(async () => setItems((await api.getMemberships()).items.slice(1))), []);
  return (
    <Part title={t.workspaces} about={t.workspacesAbout} trouble={trouble}>
      {items.length > 0 && (
        <ul className={css.rows}>
          {items.map((one) => (
            <li key={one.id}>
              <span className={css.name}>{one.name || one.id}</span>
              <span className={css.facts}>{one.role == null ? t.silent : t.roles[one.role]}</span>
              <Button onClick={() => location.assign(`${pageOf(one.id)}/`)}>{t.open}</Button>
            </li>
          ))}
        </ul>
      )}
      <NameForm
        label={t.name}
        button={t.createNow}
        busy={busy}
        done={(name) =>
          void attempt(async () =>
            location.assign(`${pageOf((await api.createWorkspace(name)).id)}/settings/members`),
          )
        }
      />
    </Part>
  );
}

function Members() {
  const { members: t } = useText();
  const manages = useMay("manage");
  const owner = useStore(directory, (all) => all.owner);
  const { busy, trouble, attempt } = useTries();
  const [items, setItems] = useState<readonly Member[]>([]);
  const look = useCallback(async () => setItems((await api.getMembers()).items), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked once
  useEffect(() => void attempt(look), []);
  const act = (work: () => Promise<unknown>) =>
    void attempt(async () => {
      await work();
      await look();
    });
  return (
    <Part title={t.of(owner?.name ?? "")} about={t.ofAbout} trouble={trouble}>
      <ul className={css.rows}>
        {items.map((one) => (
          <MemberRow
            key={one.person_id}
            member={one}
            oneself={one.person_id === owner?.person_id}
            manages={manages}
            busy={busy}
            act={act}
          />
        ))}
      </ul>
      {manages && (
        <NameForm
          label={t.rename}
          button={t.renameNow}
          busy={busy}
          done={(name) => act(async () => directory.setState({ owner: await berth.changeOwner({ name }) }))}
        />
      )}
      <div className={css.line}>
        <Button
          disabled={busy}
          onClick={() =>
            void attempt(async () => {
              await api.leaveWorkspace();
              location.assign("/");
            })
          }
        >
          {t.leave}
        </Button>
      </div>
      {manages && (
        <p className={css.about}>
          {t.deleteAbout} <Link href="/settings/data">{t.deleteWhere}</Link>
        </p>
      )}
    </Part>
  );
}

export default function MembersSection() {
  const manages = useMay("manage");
  if (workspaceId === null) return <Workspaces />;
  return (
    <>
      <Members />
      {manages && <MemberInvitations />}
    </>
  );
}
