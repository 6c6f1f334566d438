/** What stands here while nobody is signed in: the ways in, and what is to be done once one has been taken. */
import { useCallback, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { problemOf } from "../api/http.ts";
import { getSignInWays } from "../api/sign-in.ts";
import { pageBase } from "../api/whose.ts";
import { Problem } from "../cards/Problem.tsx";
import type { ErrorCode, Problem as ProblemRecord, SignedIn, SignInWays } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { codeToJoin, JOIN } from "../members/joining.ts";
import { Choosers } from "../rail/Choosers.tsx";
import { Button } from "../ui/Button.tsx";
import { KeepCodes, ReplacePasskey } from "./Afterwards.tsx";
import type { Trouble } from "./attempt.ts";
import css from "./SignIn.module.css";
import { goIn, PATHS, stay } from "./standing.ts";
import { Enter, EnterCode, SignUp } from "./Ways.tsx";

type Step = "enter" | "code" | "sign-up" | "codes" | "replace";

/** An invitation's link ends with `#` and its code, which no server sees in an address; then it is taken out of it. */
function invitationInAddress(): string {
  if (location.pathname === JOIN) return codeToJoin();
  const code = location.pathname === "/sign-up" ? decodeURIComponent(location.hash.slice(1)) : "";
  if (code !== "") history.replaceState(history.state, "", "/sign-up");
  return code;
}

/** A try that ended at a provider says by the address what became of it. */
function formerTrouble(): Trouble | null {
  const code = new URLSearchParams(location.search).get("failed");
  return code === null ? null : { code: code as ErrorCode, message: "" };
}

function useWays(): [SignInWays | null, ProblemRecord | "unreachable" | null, () => void] {
  const [ways, setWays] = useState<SignInWays | null>(null);
  const [trouble, setTrouble] = useState<ProblemRecord | "unreachable" | null>(null);
  const look = useCallback(() => {
    setTrouble(null);
    getSignInWays().then(setWays, (reason: unknown) => setTrouble(problemOf(reason)));
  }, []);
  useEffect(look, [look]);
  return [ways, trouble, look];
}

export default function SignInPage() {
  const t = useText();
  const [at, navigate] = useLocation();
  const [ways, trouble, look] = useWays();
  const [invitation] = useState(invitationInAddress);
  const [former] = useState(formerTrouble);
  const [step, setStep] = useState<Step>(at === "/sign-up" || at === JOIN ? "sign-up" : "enter");
  const outside = PATHS.includes(at);

  const done = useCallback(() => {
    if (outside) navigate("/", { replace: true });
    void goIn();
  }, [outside, navigate]);
  const came = (who: SignedIn, by: "passkey" | "new" | "account") => {
    if (by !== "new" && !who.recovered) return done();
    stay();
    setStep(by === "new" ? "codes" : "replace");
  };

  return (
    <div className={css.page}>
      <div className={css.top}>
        <Choosers />
      </div>
      <main className={css.middle}>
        {trouble !== null && (
          <div className={css.trouble}>
            <Problem problem={trouble}>
              <Button onClick={look}>{t.retry}</Button>
            </Problem>
          </div>
        )}
        {ways !== null && step === "enter" && (
          <Enter
            ways={ways}
            came={came}
            former={former}
            returnTo={outside ? "/" : `${pageBase}${at}`}
            toCode={() => setStep("code")}
            toSignUp={() => setStep("sign-up")}
          />
        )}
        {step === "code" && <EnterCode came={came} back={() => setStep("enter")} />}
        {ways !== null && step === "sign-up" && (
          <SignUp ways={ways} came={came} invitation={invitation} back={() => setStep("enter")} />
        )}
        {step === "codes" && <KeepCodes done={done} />}
        {step === "replace" && <ReplacePasskey done={done} />}
      </main>
    </div>
  );
}
