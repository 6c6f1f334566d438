/** What a person is called, and the end of their account. */

import { type FormEvent, lazy, useState } from "react";
import { renameMyself } from "../api/sign-in.ts";
import type { WaysIn } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { LazyPart } from "../ui/LazyPart.tsx";
import { useTries } from "./attempt.ts";
import css from "./OwnSection.module.css";
import { Part } from "./Part.tsx";

const DeleteEverythingDialog = lazy(() => import("../thread/DeleteEverythingDialog.tsx"));

/** As `PERSON_NAME_CHARACTERS_MAX` in the contracts. */
const NAME_CHARACTERS = 60;

export function Name({ known, look }: { known: WaysIn; look: () => Promise<void> }) {
  const { signIn: t } = useLanguage().text;
  const tries = useTries();
  const [typed, setTyped] = useState<string | null>(null);
  const name = typed ?? known.name;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void tries.attempt(async () => {
      await renameMyself(name);
      await look();
      setTyped(null);
    });
  };
  return (
    <Part title={t.account} about={t.accountNameHint} trouble={tries.trouble}>
      <form className={css.line} onSubmit={submit}>
        <Field
          label={t.accountName}
          value={name}
          maxLength={NAME_CHARACTERS}
          autoComplete="name"
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit" disabled={tries.busy || name.trim() === "" || name === known.name}>
          {t.accountSave}
        </Button>
      </form>
    </Part>
  );
}

export function Leaving({ id }: { id: string }) {
  const { text } = useLanguage();
  const t = text.signIn;
  const [asking, setAsking] = useState(false);
  return (
    <Part title={text.deleteAccountNow} about={t.accountDeleteAbout} trouble={null}>
      <div className={css.line}>
        <Button look="danger" onClick={() => setAsking(true)}>
          {t.accountDelete}
        </Button>
      </div>
      {asking && (
        <LazyPart close={() => setAsking(false)}>
          <DeleteEverythingDialog account={id} close={() => setAsking(false)} />
        </LazyPart>
      )}
    </Part>
  );
}
