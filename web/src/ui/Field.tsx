/** A labelled field with a hint and, where it is wrong, a sentence that says why. */
import { type ComponentProps, type ReactNode, useId } from "react";
import css from "./Field.module.css";

interface Shared {
  label: string;
  hint?: string | undefined;
  wrong?: string | null | undefined;
}

/** What ties a control to its label and to the sentence below it. */
interface Wiring {
  id: string;
  className: string | undefined;
  "aria-invalid": boolean;
  "aria-describedby": string | undefined;
}

function Describe({ id, hint, wrong }: { id: string } & Pick<Shared, "hint" | "wrong">) {
  if (wrong)
    return (
      <span id={id} className={css.wrong} role="alert">
        {wrong}
      </span>
    );
  return hint ? (
    <span id={id} className={css.hint}>
      {hint}
    </span>
  ) : null;
}

interface LabelledProps extends Shared {
  control: (wiring: Wiring) => ReactNode;
}

function Labelled({ label, hint, wrong, control }: LabelledProps) {
  const id = useId();
  const more = `${id}-more`;
  return (
    <div className={css.field}>
      <label className={css.label} htmlFor={id}>
        {label}
      </label>
      {control({
        id,
        className: css.input,
        "aria-invalid": Boolean(wrong),
        "aria-describedby": hint || wrong ? more : undefined,
      })}
      <Describe id={more} hint={hint} wrong={wrong} />
    </div>
  );
}

export function Field({ label, hint, wrong, ...input }: Shared & ComponentProps<"input">) {
  const control = (wiring: Wiring) => <input {...input} {...wiring} />;
  return <Labelled label={label} hint={hint} wrong={wrong} control={control} />;
}

export function TextField({ label, hint, wrong, ...area }: Shared & ComponentProps<"textarea">) {
  const control = (wiring: Wiring) => <textarea {...area} {...wiring} />;
  return <Labelled label={label} hint={hint} wrong={wrong} control={control} />;
}

interface SelectProps<T extends string> extends Shared {
  value: T;
  choose: (value: T) => void;
  options: readonly { readonly value: T; readonly label: string }[];
}

export function SelectField<T extends string>({
  label,
  hint,
  wrong,
  value,
  choose,
  options,
}: SelectProps<T>) {
  const control = (wiring: Wiring) => (
    <select value={value} onChange={(event) => choose(event.target.value as T)} {...wiring}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
  return <Labelled label={label} hint={hint} wrong={wrong} control={control} />;
}

export function Tick({
  label,
  ticked,
  tick,
}: {
  label: string;
  ticked: boolean;
  tick: (is: boolean) => void;
}) {
  return (
    <label className={css.tick}>
      <input type="checkbox" checked={ticked} onChange={(event) => tick(event.target.checked)} />
      {label}
    </label>
  );
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint: string;
}

interface ChoicesProps<T extends string> {
  label: string;
  /** The label stands above as a heading already, and is only read out. */
  headed?: boolean;
  choices: readonly Choice<T>[];
  value: T;
  choose: (value: T) => void;
}

export function Choices<T extends string>({
  label,
  headed = false,
  choices,
  value,
  choose,
}: ChoicesProps<T>) {
  const id = useId();
  return (
    <div className={css.field} role="radiogroup" aria-labelledby={id}>
      <span id={id} className={headed ? "aside-visually" : css.label}>
        {label}
      </span>
      <div className={css.choices}>
        {choices.map((choice) => (
          <label key={choice.value} className={css.choice}>
            <input
              type="radio"
              name={id}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => choose(choice.value)}
            />
            <span className={css.label}>{choice.label}</span>
            <span className={css.hint}>{choice.hint}</span>
          </label>
        ))}
      </div>
    </div>
  );
}
