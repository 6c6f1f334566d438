/** The kill switch. It works at once; cancelling is always possible. */
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
  return (
    <Section title={t.trading.switchTitle}>
      <Choices
        label={t.trading.switchTitle}
        headed
        value={trading.switch}
        choose={(state) => void came.attempt(() => setSwitch(state))}
        choices={STATES.map((state) => ({ value: state, ...t.trading.switches[state] }))}
      />
      <Came of={came} />
    </Section>
  );
}
