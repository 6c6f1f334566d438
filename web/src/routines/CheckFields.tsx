/** What has to hold for a run to start: a window of time, a price that crosses, a value that an address gives. */
import { Plus, X } from "lucide-react";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Field, SelectField, Tick } from "../ui/Field.tsx";
import css from "./Routines.module.css";
import type { Check } from "./routine-form.ts";

const MOST = 3;
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

const FRESH: { readonly [K in Check["kind"]]: Extract<Check, { kind: K }> } = {
  window: { kind: "window", days: [0, 1, 2, 3, 4], first: "09:00", end: "17:00" },
  price: { kind: "price", symbol: "BTC", crosses: "above", price: "" },
  http: { kind: "http", url: "https://", path: "$", compare: "changed", value: "" },
};

interface CheckProps<K extends Check["kind"]> {
  check: Extract<Check, { kind: K }>;
  change: (check: Check) => void;
}

function WindowFields({ check, change }: CheckProps<"window">) {
  const t = useText();
  const toggle = (day: number, is: boolean) => {
    const days = EVERY_DAY.filter((one) => (one === day ? is : check.days.includes(one)));
    if (days.length > 0) change({ ...check, days });
  };
  return (
    <>
      <div className={css.days}>
        {EVERY_DAY.map((day) => (
          <Tick
            key={day}
            label={t.routine.days[day as 0] ?? ""}
            ticked={check.days.includes(day)}
            tick={(is) => toggle(day, is)}
          />
        ))}
      </div>
      <div className={css.pair}>
        <Field
          label={t.routine.from}
          type="time"
          required
          value={check.first}
          onChange={(event) => change({ ...check, first: event.target.value })}
        />
        <Field
          label={t.routine.until}
          type="time"
          required
          value={check.end}
          onChange={(event) => change({ ...check, end: event.target.value })}
        />
      </div>
    </>
  );
}

function PriceFields({ check, change }: CheckProps<"price">) {
  const t = useText();
  return (
    <div className={css.pair}>
      <Field
        label={t.routine.symbol}
        value={check.symbol}
        maxLength={40}
        onChange={(event) => change({ ...check, symbol: event.target.value.toUpperCase() })}
      />
      <SelectField
        label={t.routine.crosses}
        value={check.crosses}
        choose={(crosses) => change({ ...check, crosses })}
        options={[
          { value: "above", label: t.routine.above },
          { value: "below", label: t.routine.below },
        ]}
      />
      <Field
        label={t.columnPrice}
        inputMode="decimal"
        value={check.price}
        onChange={(event) => change({ ...check, price: event.target.value })}
      />
    </div>
  );
}

function HttpFields({ check, change }: CheckProps<"http">) {
  const t = useText();
  const compares = ["changed", "equals", "differs", "above", "below"] as const;
  return (
    <>
      <Field
        label={t.routine.address}
        hint={t.routine.addressHint}
        type="url"
        value={check.url}
        maxLength={2_000}
        onChange={(event) => change({ ...check, url: event.target.value })}
      />
      <div className={css.pair}>
        <Field
          label={t.routine.path}
          value={check.path}
          maxLength={200}
          spellCheck={false}
          placeholder="$.items[0].price"
          onChange={(event) => change({ ...check, path: event.target.value })}
        />
        <SelectField
          label={t.routine.compare}
          value={check.compare}
          choose={(compare) => change({ ...check, compare })}
          options={compares.map((value) => ({ value, label: t.routine.compares[value] }))}
        />
        {check.compare !== "changed" && (
          <Field
            label={t.routine.value}
            value={check.value ?? ""}
            maxLength={200}
            onChange={(event) => change({ ...check, value: event.target.value })}
          />
        )}
      </div>
    </>
  );
}

function One({ check, change }: { check: Check; change: (check: Check) => void }) {
  if (check.kind === "window") return <WindowFields check={check} change={change} />;
  if (check.kind === "price") return <PriceFields check={check} change={change} />;
  return <HttpFields check={check} change={change} />;
}

interface CheckFieldsProps {
  checks: readonly Check[];
  set: (checks: readonly Check[]) => void;
}

export function CheckFields({ checks, set }: CheckFieldsProps) {
  const t = useText();
  return (
    <fieldset className={css.group}>
      <legend>{t.routine.checks}</legend>
      <p className={css.hint}>{t.routine.checksHint}</p>
      {checks.map((check, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a check is known by its place alone
        <div key={place} className={css.check} data-check={check.kind}>
          <div className={css.checkHead}>
            <strong>{t.routine.checkKinds[check.kind]}</strong>
            <Button
              icon
              look="quiet"
              aria-label={t.routine.removeCheck(t.routine.checkKinds[check.kind])}
              onClick={() => set(checks.filter((_, one) => one !== place))}
            >
              <X size={15} aria-hidden="true" />
            </Button>
          </div>
          <One
            check={check}
            change={(changed) => set(checks.map((one, at) => (at === place ? changed : one)))}
          />
        </div>
      ))}
      {checks.length < MOST && (
        <div className={css.adders}>
          {(["window", "price", "http"] as const).map((kind) => (
            <Button key={kind} onClick={() => set([...checks, FRESH[kind]])}>
              <Plus size={14} aria-hidden="true" />
              {t.routine.checkKinds[kind]}
            </Button>
          ))}
        </div>
      )}
    </fieldset>
  );
}
