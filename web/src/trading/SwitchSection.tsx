/** The kill switch. It works at once; cancelling is always possible. */
import { useState } from "react";
import { setSwitch } from "../app/trading.ts";
import type { SwitchState, Trading } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Choices } from "../ui/Field.tsx";
import { useAttempt } from "./attempt.ts";
import { Came, Section } from "./Section.tsx";

const STATES: readonly SwitchState[] = ["active", "reducing", "halted"];

export function SwitchSection({ trading }: { trading: Trading }) {
  const t = useText();
  const came = useAttempt();
  // Shown where it was put; it falls back where the server was not told.
  const [wanted, setWanted] = useState<SwitchState | null>(null);
  const choose = (state: SwitchState) => {
    setWanted(state);
    void came.attempt(() => setSwitch(state)).finally(() => setWanted(null));
  };
  return (
    <Section title={t.trading.switchTitle}>
      <Choices
        label={t.trading.switchTitle}
        headed
        value={wanted ?? trading.switch}
        choose={choose}
        choices={STATES.map((state) => ({ value: state, ...t.trading.switches[state] }))}
      />
      <Came of={came} />
    </Section>
  );
}
