/** A person's passkeys and recovery codes, and the accounts elsewhere that sign them in. */
import { KeyRound, Pencil, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { makeRecoveryCodes, removePasskey, renamePasskey } from "../api/sign-in.ts";
import type { Passkey, WaysIn } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { Field } from "../ui/Field.tsx";
import { moment } from "../ui/format.ts";
import { type Tries, useTries } from "./attempt.ts";
import css from "./OwnSection.module.css";
import { Part } from "./Part.tsx";
import { addPasskey } from "./passkey.ts";
import { RecoveryCodeList } from "./RecoveryCodes.tsx";

interface PartsProps {
  known: WaysIn;
  look: () => Promise<void>;
}

function PasskeyRow({ one, tries, look }: { one: Passkey; tries: Tries; look: () => Promise<void> }) {
  const { text, locale } = useLanguage();
  const t = text.signIn;
  const now = useNow(false);
  const [name, setName] = useState<string | null>(null);
  const facts = [
    one.backed_up ? t.passkeySaved : t.passkeyHere,
    t.made(moment(one.created_ms, now, locale)),
    one.used_ms == null ? "" : t.used(moment(one.used_ms, now, locale)),
  ];
  const save = (event: FormEvent) => {
    event.preventDefault();
    void tries.attempt(async () => {
      await renamePasskey(one.id, name ?? "");
      setName(null);
      await look();
    });
  };
  if (name !== null)
    return (
      <li>
        <form className={css.line} onSubmit={save}>
          <Field
            label={t.passkeyRename(one.name)}
            value={name}
            maxLength={60}
            onChange={(event) => setName(event.target.value)}
          />
          <Button type="submit" look="primary" disabled={tries.busy || name.trim() === ""}>
            {text.save}
          </Button>
          <Button look="quiet" onClick={() => setName(null)}>
            {text.cancel}
          </Button>
        </form>
      </li>
    );
  return (
    <li>
      <span className={css.name}>{one.name}</span>
      <span className={css.facts}>{facts.filter(Boolean).join(" · ")}</span>
      <span className={css.buttons}>
        <Button icon look="quiet" aria-label={t.passkeyRename(one.name)} onClick={() => setName(one.name)}>
          <Pencil size={15} aria-hidden="true" />
        </Button>
        <Button
          icon
          look="quiet"
          aria-label={t.passkeyRemove(one.name)}
          disabled={tries.busy}
          onClick={() =>
            void tries.attempt(async () => {
              await removePasskey(one.id);
              await look();
            })
          }
        >
          <Trash2 size={15} aria-hidden="true" />
        </Button>
      </span>
    </li>
  );
}

export function Passkeys({ known, look }: PartsProps) {
  const { signIn: t } = useLanguage().text;
  const tries = useTries();
  const [name, setName] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void tries.attempt(async () => {
      await addPasskey(name);
      setName("");
      await look();
    });
  };
  return (
    <Part title={t.passkeys} about={t.passkeysAbout} trouble={tries.trouble}>
      {known.passkeys.length > 0 && (
        <ul className={css.rows}>
          {known.passkeys.map((one) => (
            <PasskeyRow key={one.id} one={one} tries={tries} look={look} />
          ))}
        </ul>
      )}
      <form className={css.line} onSubmit={submit}>
        <Field
          label={t.passkeyName}
          value={name}
          maxLength={60}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" disabled={tries.busy || name.trim() === ""}>
          <KeyRound size={15} aria-hidden="true" />
          {t.passkeyAdd}
        </Button>
      </form>
    </Part>
  );
}

export function Codes({ known, look }: PartsProps) {
  const { signIn: t } = useLanguage().text;
  const { busy, trouble, attempt } = useTries();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const left = known.recovery_codes_left;
  const make = () =>
    attempt(async () => {
      setCodes((await makeRecoveryCodes()).codes);
      await look();
    });
  return (
    <Part title={t.codes} about={t.codesAbout} trouble={trouble}>
      <p className={css.about}>{t.codesLeft(left)}</p>
      {left > 0 && <p className={css.about}>{t.codesReplaced}</p>}
      {codes === null ? (
        <div className={css.line}>
          <Button disabled={busy} onClick={() => void make()}>
            {left === 0 ? t.codesMake : t.codesAgain}
          </Button>
        </div>
      ) : (
        <RecoveryCodeList codes={codes} kept={() => setCodes(null)} />
      )}
    </Part>
  );
}

export function Accounts({ known }: { known: WaysIn }) {
  const { text, locale } = useLanguage();
  const now = useNow(false);
  if (known.accounts.length === 0) return null;
  return (
    <Part title={text.signIn.accounts} about={text.signIn.accountsAbout} trouble={null}>
      <ul className={css.rows}>
        {known.accounts.map((one) => (
          <li key={one.issuer}>
            <span className={css.name}>{one.name || one.issuer}</span>
            <span className={css.facts}>
              {[one.issuer, text.signIn.used(moment(one.used_ms, now, locale))].join(" · ")}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}
