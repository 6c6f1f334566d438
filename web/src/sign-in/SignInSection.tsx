/** How a person signs in, where they are, and what signs in for them. */
import { useCallback, useEffect, useState } from "react";
import { getSignInWays, getWaysIn } from "../api/sign-in.ts";
import type { SignInWays, WaysIn } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Leaving, Name } from "./Account.tsx";
import { useTries } from "./attempt.ts";
import { Devices, Tokens } from "./Devices.tsx";
import { Invitations } from "./Invitations.tsx";
import { Accounts, Codes, Passkeys } from "./Passkeys.tsx";
import { TroubleNote } from "./TroubleNote.tsx";

export default function SignInSection() {
  const t = useText();
  const { trouble, attempt } = useTries();
  const [ways, setWays] = useState<SignInWays | null>(null);
  const [known, setKnown] = useState<WaysIn | null>(null);
  const look = useCallback(async () => setKnown(await getWaysIn()), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked once
  useEffect(() => {
    void attempt(async () => {
      setWays(await getSignInWays());
      await look();
    });
  }, []);
  if (trouble !== null) return <TroubleNote trouble={trouble} />;
  if (ways === null || known === null) return <p role="status">{t.loading}</p>;
  // The person at this machine has no account: who they are, its address says.
  const account = ways.ways.some((way) => way !== "local");
  const passkeys = ways.ways.includes("passkey");
  return (
    <>
      {account && <Name known={known} look={look} />}
      {passkeys && <Passkeys known={known} look={look} />}
      {passkeys && <Codes known={known} look={look} />}
      <Accounts known={known} />
      <Devices access={ways.ways.includes("access")} />
      <Tokens />
      {known.operator && account && <Invitations />}
      {account && <Leaving id={known.person_id} />}
    </>
  );
}
