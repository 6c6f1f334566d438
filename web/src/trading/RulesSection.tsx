/** What may go ahead without asking: off at first, and said in words before and after it is saved. */
import { type FormEvent, useState } from "react";
import { setRules } from "../app/trading.ts";
import type { Trading } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Field, SelectField, Tick } from "../ui/Field.tsx";
import { useAttempt } from "./attempt.ts";
import {
  errorsOf,
  formOf,
  grouped,
  hour,
  NETWORKS,
  type RulesErrors,
  type RulesForm,
  rulesOf,
  sentenceOf,
} from "./rules-form.ts";
import { Came, Section } from "./Section.tsx";
import css from "./Trading.module.css";

const HOURS = Array.from({ length: 25 }, (_, value) => ({ value: String(value), label: hour(value) }));

interface FieldsProps {
  form: RulesForm;
  errors: RulesErrors;
  set: (part: Partial<RulesForm>) => void;
}

function Group({
  label,
  wrong,
  children,
}: {
  label: string;
  wrong?: string | undefined;
  children: React.ReactNode;
}) {
  return (
    <fieldset className={css.group}>
      <legend>{label}</legend>
      <div className={css.ticks}>{children}</div>
      {wrong && (
        <p className={css.wrong} role="alert">
          {wrong}
        </p>
      )}
    </fieldset>
  );
}

function What({ form, errors, set }: FieldsProps) {
  const { text: t } = useLanguage();
  return (
    <>
      <Group label={t.trading.ruleVenues} wrong={errors.venues}>
        {NETWORKS.map((network) => (
          <Tick
            key={network}
            label={t.trading.networks[network]}
            ticked={form.venues.includes(network)}
            tick={(is) =>
              set({ venues: is ? [...form.venues, network] : form.venues.filter((one) => one !== network) })
            }
          />
        ))}
      </Group>
      {form.venues.includes("mainnet") && <p className={css.real}>{t.trading.rulesReal}</p>}
      <Field
        label={t.trading.ruleSymbols}
        hint={t.trading.ruleSymbolsHint}
        wrong={errors.symbols}
        value={form.symbols}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        onChange={(event) => set({ symbols: event.target.value })}
      />
      <Group label={t.trading.ruleSides} wrong={errors.sides}>
        <Tick label={t.buy} ticked={form.buy} tick={(buy) => set({ buy })} />
        <Tick label={t.sell} ticked={form.sell} tick={(sell) => set({ sell })} />
      </Group>
    </>
  );
}

function HowMuch({ form, errors, set }: FieldsProps) {
  const { text: t } = useLanguage();
  return (
    <>
      <div className={css.pair}>
        <Field
          label={t.trading.ruleOrder}
          wrong={errors.anOrder}
          value={form.anOrder}
          inputMode="decimal"
          autoComplete="off"
          onChange={(event) => set({ anOrder: event.target.value })}
        />
        <Field
          label={t.trading.ruleDay}
          wrong={errors.aDay}
          value={form.aDay}
          inputMode="decimal"
          autoComplete="off"
          onChange={(event) => set({ aDay: event.target.value })}
        />
      </div>
      <Field
        label={t.trading.ruleSizes}
        hint={t.trading.ruleSizesHint}
        wrong={errors.sizes}
        value={form.sizes}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => set({ sizes: event.target.value })}
      />
      <Tick
        label={t.trading.ruleReduceOnly}
        ticked={form.reduceOnlyExempt}
        tick={(reduceOnlyExempt) => set({ reduceOnlyExempt })}
      />
      <div className={css.pair}>
        <SelectField
          label={t.trading.ruleFrom}
          value={form.from}
          options={HOURS.slice(0, -1)}
          choose={(from) => set({ from })}
        />
        <SelectField
          label={t.trading.ruleUntil}
          wrong={errors.until}
          value={form.until}
          options={HOURS}
          choose={(until) => set({ until })}
        />
      </div>
    </>
  );
}

export function RulesSection({ trading }: { trading: Trading }) {
  const { text: t, locale } = useLanguage();
  const [form, setForm] = useState(() => formOf(trading.rules));
  const [tried, setTried] = useState(false);
  const came = useAttempt();
  const errors = tried ? errorsOf(form, t) : {};
  const set = (part: Partial<RulesForm>) => setForm({ ...form, ...part });
  const fields = { form, errors, set };
  const legible = Object.keys(errorsOf(form, t)).length === 0;
  const dirty = legible && JSON.stringify(rulesOf(form)) !== JSON.stringify(rulesOf(formOf(trading.rules)));
  const shown = dirty ? rulesOf(form) : trading.rules;
  const sentence = sentenceOf(shown, trading.time_zone, t, locale);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (legible) void came.attempt(() => setRules(rulesOf(form)));
  };
  // A switch that is turned off must not wait for a button, nor for the rest of the form.
  const enable = (enabled: boolean) => {
    set({ enabled });
    if (!enabled && trading.rules.enabled) {
      void came.attempt(() => setRules({ ...trading.rules, enabled: false }));
    }
  };

  return (
    <Section title={t.trading.rulesTitle}>
      <form onSubmit={submit} noValidate>
        <p className={css.sentence} data-draft={dirty}>
          {sentence ?? t.trading.rulesOff}
        </p>
        <p className={css.hint}>{t.trading.rulesTaint}</p>
        {trading.rules.enabled && (
          <p className={css.hint}>
            {t.trading.usedToday(grouped(trading.ruled_today), grouped(trading.rules.notional_a_day ?? "0"))}
          </p>
        )}
        <Tick label={t.trading.rulesOn} ticked={form.enabled} tick={enable} />
        {form.enabled && (
          <div className={css.fields}>
            <What {...fields} />
            <HowMuch {...fields} />
            <p className={css.hint}>{t.trading.ruleZone(trading.time_zone)}</p>
            <Button look="primary" type="submit" disabled={came.busy}>
              {t.trading.saveRules}
            </Button>
          </div>
        )}
        <Came of={came} />
      </form>
    </Section>
  );
}
