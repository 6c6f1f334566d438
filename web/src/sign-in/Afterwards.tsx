/** What is worth doing between having signed in and going on: codes to keep, or a new passkey for lost ones. */
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { makeRecoveryCodes } from "../api/sign-in.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useTries } from "./attempt.ts";
import { Head } from "./Head.tsx";
import { addPasskey } from "./passkey.ts";
import { RecoveryCodeList } from "./RecoveryCodes.tsx";
import css from "./SignIn.module.css";
import { TroubleNote } from "./TroubleNote.tsx";

export function KeepCodes({ done }: { done: () => void }) {
  const { signIn: t } = useText();
  const { busy, trouble, attempt } = useTries();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const make = () => attempt(async () => setCodes((await makeRecoveryCodes()).codes));
  return (
    <>
      <Head title={t.codes} about={t.codesAbout} />
      <TroubleNote trouble={trouble} />
      {codes === null ? (
        <div className={css.ways}>
          <Button look="primary" disabled={busy} onClick={() => void make()}>
            {t.codesMake}
          </Button>
          <Button look="quiet" onClick={done}>
            {t.later}
          </Button>
        </div>
      ) : (
        <RecoveryCodeList codes={codes} kept={done} />
      )}
    </>
  );
}

export function ReplacePasskey({ done }: { done: () => void }) {
  const { signIn: t } = useText();
  const { busy, trouble, attempt } = useTries();
  const add = () =>
    attempt(async () => {
      await addPasskey(t.passkeyNew);
      done();
    });
  return (
    <>
      <Head title={t.replaceTitle} about={t.replaceAbout} />
      <TroubleNote trouble={trouble} />
      <div className={css.ways}>
        <Button look="primary" disabled={busy} onClick={() => void add()}>
          <KeyRound size={17} aria-hidden="true" />
          {t.passkeyAdd}
        </Button>
        <Button look="quiet" onClick={done}>
          {t.later}
        </Button>
      </div>
    </>
  );
}
