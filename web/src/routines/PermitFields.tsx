/** What a routine may do without asking, each off at first and said in plain words; and what it may take. */
import { useText } from "../i18n/text.ts";
import { Field, SelectField, Tick } from "../ui/Field.tsx";
import css from "./Routines.module.css";
import type { FormProps } from "./ScheduleFields.tsx";

export function PermitFields({ form, errors, set }: FormProps) {
  const t = useText();
  return (
    <fieldset className={css.group}>
      <legend>{t.routine.may}</legend>
      <Tick label={t.routine.mayComputer} ticked={form.computer} tick={(computer) => set({ computer })} />
      <p className={css.hint}>{t.routine.mayComputerHint}</p>
      <Tick label={t.routine.mayOrder} ticked={form.orders} tick={(orders) => set({ orders })} />
      <p className={css.hint}>{t.routine.mayOrderHint}</p>
      {form.orders && form.computer && (
        <p className={css.warning} role="note">
          {t.routine.bothHint}
        </p>
      )}
      {form.orders && <OrderFields form={form} errors={errors} set={set} />}
      <p className={css.hint}>{t.routine.noBrowser}</p>
    </fieldset>
  );
}

function OrderFields({ form, errors, set }: FormProps) {
  const t = useText();
  return (
    <div className={css.pair}>
      <SelectField
        label={t.routine.venues}
        value={form.network}
        choose={(network) => set({ network })}
        options={(["paper", "testnet", "mainnet"] as const).map((value) => ({
          value,
          label: t.trading.networks[value],
        }))}
      />
      <Field
        label={t.routine.symbols}
        value={form.symbols}
        wrong={errors.symbols}
        placeholder="BTC, ETH"
        onChange={(event) => set({ symbols: event.target.value })}
      />
      <SelectField
        label={t.routine.sides}
        value={form.sides}
        choose={(sides) => set({ sides })}
        options={[
          { value: "both", label: t.routine.bothSides },
          { value: "buy", label: t.buy },
          { value: "sell", label: t.sell },
        ]}
      />
      <Field
        label={t.routine.anOrder}
        inputMode="decimal"
        value={form.anOrder}
        wrong={errors.anOrder}
        onChange={(event) => set({ anOrder: event.target.value })}
      />
      <Field
        label={t.routine.aDay}
        inputMode="decimal"
        value={form.aDay}
        wrong={errors.aDay}
        onChange={(event) => set({ aDay: event.target.value })}
      />
    </div>
  );
}

export function LimitFields({ form, errors, set }: FormProps) {
  const t = useText();
  const fields = [
    ["runMinutes", t.routine.runMinutes],
    ["rounds", t.rounds],
    ["runCost", t.routine.runCost],
    ["monthCost", t.routine.monthCost],
    ["failures", t.routine.failures],
  ] as const;
  return (
    <details className={css.group}>
      <summary>{t.routine.limits}</summary>
      <div className={css.pair}>
        {fields.map(([name, label]) => (
          <Field
            key={name}
            label={label}
            inputMode="decimal"
            value={form[name]}
            wrong={errors[name]}
            onChange={(event) => set({ [name]: event.target.value })}
          />
        ))}
        <SelectField
          label={t.routine.overlap}
          value={form.overlap}
          choose={(overlap) => set({ overlap })}
          options={[
            { value: "skip", label: t.routine.overlapSkip },
            { value: "queue", label: t.routine.overlapQueue },
          ]}
        />
      </div>
    </details>
  );
}
