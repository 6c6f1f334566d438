/** The ways in that this deployment has, as buttons; those for rarer cases stand below. */
import { KeyRound, LogIn } from "lucide-react";
import { type FormEvent, useState } from "react";
import { joinByAccess, recover, startOidc } from "../api/sign-in.ts";
import type { SignedIn, SignInWays } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { type Trouble, useTries } from "./attempt.ts";
import { Head } from "./Head.tsx";
import { signIn, signUp } from "./passkey.ts";
import css from "./SignIn.module.css";
import { TroubleNote } from "./TroubleNote.tsx";

export type Come = (who: SignedIn, by: "passkey" | "new" | "account") => void;

interface StepProps {
  ways: SignInWays;
  came: Come;
}

/** The provider sends its person back to where they wanted to go. */
async function goToProvider(return_to: string, code: string): Promise<void> {
  const { url } = await startOidc({ return_to, code });
  location.assign(url);
}

interface EnterProps extends StepProps {
  /** What the address says of a try that ended at the provider. */
  former: Trouble | null;
  returnTo: string;
  toCode: () => void;
  toSignUp: () => void;
}

export function Enter({ ways, came, former, returnTo, toCode, toSignUp }: EnterProps) {
  const { signIn: t } = useText();
  const { busy, trouble, attempt } = useTries();
  const has = (way: SignInWays["ways"][number]) => ways.ways.includes(way);
  const usable = has("passkey") || has("oidc");
  return (
    <>
      <Head title={t.title} about={ways.ways.length === 0 ? t.closed : undefined} />
      <TroubleNote trouble={trouble ?? former} />
      <div className={css.ways}>
        {has("passkey") && (
          <Button
            look="primary"
            disabled={busy}
            onClick={() => void attempt(async () => came(await signIn(), "passkey"))}
          >
            <KeyRound size={17} aria-hidden="true" />
            {t.withPasskey}
          </Button>
        )}
        {has("oidc") && (
          <Button
            look={has("passkey") ? "outline" : "primary"}
            disabled={busy}
            onClick={() => void attempt(() => goToProvider(returnTo, ""))}
          >
            <LogIn size={17} aria-hidden="true" />
            {t.withProvider(ways.oidc_name ?? "")}
          </Button>
        )}
        {has("local") && <p className={css.about}>{t.local}</p>}
        {has("access") && <p className={css.about}>{ways.access_name ? t.accessNew : t.access}</p>}
      </div>
      {(usable || ways.access_name != null) && (
        <div className={css.others}>
          {has("passkey") && (
            <Button look="quiet" onClick={toCode}>
              {t.lost}
            </Button>
          )}
          <Button look="quiet" onClick={toSignUp}>
            {ways.first ? t.first : ways.sign_up === "open" ? t.newHere : t.invited}
          </Button>
        </div>
      )}
    </>
  );
}

export function EnterCode({ came, back }: { came: Come; back: () => void }) {
  const { signIn: t } = useText();
  const { busy, trouble, attempt } = useTries();
  const [code, setCode] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => came(await recover(code), "passkey"));
  };
  return (
    <form onSubmit={submit}>
      <Head title={t.codeTitle} about={t.codeAbout} />
      <TroubleNote trouble={trouble} />
      <div className={css.ways}>
        <Field
          label={t.code}
          value={code}
          onChange={(event) => setCode(event.target.value)}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={200}
          placeholder="XXXX-XXXX-XXXX-XXXX"
        />
        <Button look="primary" type="submit" disabled={busy || code.trim() === ""}>
          {t.enter}
        </Button>
        <Button look="quiet" onClick={back}>
          {t.back}
        </Button>
      </div>
    </form>
  );
}

interface SignUpProps extends StepProps {
  /** The code of the invitation's link. */
  invitation: string;
  back: () => void;
}

export function SignUp({ ways, came, invitation, back }: SignUpProps) {
  const { signIn: t } = useText();
  const { busy, trouble, attempt } = useTries();
  const [name, setName] = useState("");
  const [code, setCode] = useState(invitation);
  const passkey = ways.ways.includes("passkey");
  const codeWanted = ways.sign_up === "invited" && code.trim() === "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => came(await signUp(name, code), "new"));
  };
  return (
    <form onSubmit={submit}>
      <Head title={t.upTitle} about={passkey ? t.upAbout : undefined} />
      <TroubleNote trouble={trouble} byCode={code.trim() !== ""} />
      <div className={css.fields}>
        {passkey && (
          <Field
            label={t.name}
            hint={t.nameHint}
            value={name}
            onChange={(event) => setName(event.target.value)}
            autoComplete="name"
            maxLength={60}
          />
        )}
        {invitation === "" && (
          <Field
            label={ways.first ? t.setupCode : ways.sign_up === "open" ? t.invitationMaybe : t.invitation}
            hint={ways.first ? t.setupHint : t.invitationHint}
            value={code}
            onChange={(event) => setCode(event.target.value)}
            autoComplete="off"
            spellCheck={false}
            maxLength={200}
          />
        )}
      </div>
      <div className={css.ways}>
        {passkey && (
          <Button look="primary" type="submit" disabled={busy || codeWanted || name.trim() === ""}>
            <KeyRound size={17} aria-hidden="true" />
            {t.upPasskey}
          </Button>
        )}
        {ways.ways.includes("oidc") && (
          <Button disabled={busy || codeWanted} onClick={() => void attempt(() => goToProvider("/", code))}>
            <LogIn size={17} aria-hidden="true" />
            {t.withProvider(ways.oidc_name ?? "")}
          </Button>
        )}
        {ways.access_name != null && (
          <Button
            disabled={busy || codeWanted}
            onClick={() => void attempt(async () => came(await joinByAccess({ code }), "account"))}
          >
            <LogIn size={17} aria-hidden="true" />
            {t.withAccess(ways.access_name)}
          </Button>
        )}
        <Button look="quiet" onClick={back}>
          {t.back}
        </Button>
      </div>
    </form>
  );
}
