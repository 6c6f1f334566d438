/** What a bot's provider wants to know: where it is asked, with which key, which model, and how it answers. */
import { useStore } from "zustand";
import { directory } from "../app/directory.ts";
import type { Bot } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Field, SelectField, Tick } from "../ui/Field.tsx";
import {
  ADDRESSES,
  type BotForm,
  type BotFormErrors,
  hasAddress,
  hasModel,
  keepsKey,
  ROUNDS_MAX,
  temperatureMax,
} from "./bot-form.ts";

export interface FieldsProps {
  bot: Bot | null;
  form: BotForm;
  set: (part: Partial<BotForm>) => void;
  errors: BotFormErrors;
}

function KeyField({ bot, form, set }: FieldsProps) {
  const t = useText();
  const owner = useStore(directory, (state) => state.owner);
  const kept = keepsKey(bot, form);
  const taken = owner?.takes_keys ?? false;
  const platform = form.baseUrl.trim() === "" && (owner?.platform_keys ?? []).includes(form.provider);
  const goes = bot?.model.has_key === true && !kept;
  const hint = !taken
    ? t.apiKeyNotTaken
    : kept
      ? t.apiKeyKept
      : goes
        ? t.apiKeyGoes
        : platform
          ? t.apiKeyPlatform
          : t.apiKeyHint;
  return (
    <>
      <Field
        label={t.apiKey}
        type="password"
        value={form.apiKey}
        hint={hint}
        disabled={!taken}
        autoComplete="new-password"
        placeholder={kept ? "••••••••" : ""}
        onChange={(event) => set({ apiKey: event.target.value })}
      />
      {kept && form.apiKey === "" && (
        <Tick label={t.removeKey} ticked={form.removeKey} tick={(removeKey) => set({ removeKey })} />
      )}
    </>
  );
}

function Address(props: FieldsProps) {
  const { form, set, errors } = props;
  const t = useText();
  return (
    <>
      <Field
        label={t.baseUrl}
        hint={t.baseUrlHint}
        value={form.baseUrl}
        wrong={errors.baseUrl}
        inputMode="url"
        autoComplete="off"
        placeholder={ADDRESSES[form.provider]}
        onChange={(event) => set({ baseUrl: event.target.value })}
      />
      <KeyField {...props} />
    </>
  );
}

function Answering({ form, set, errors }: FieldsProps) {
  const t = useText();
  const efforts = (["none", "low", "medium", "high"] as const).map((value) => ({
    value,
    label: t.efforts[value],
  }));
  return (
    <>
      <Field
        label={t.modelName}
        value={form.model}
        wrong={errors.model}
        maxLength={200}
        autoComplete="off"
        onChange={(event) => set({ model: event.target.value })}
      />
      <SelectField
        label={t.effort}
        hint={t.effortHint}
        value={form.effort}
        options={efforts}
        choose={(effort) => set({ effort })}
      />
      {form.effort === "none" && (
        <Field
          label={t.temperature}
          hint={t.temperatureHint(temperatureMax(form.provider).toString())}
          value={form.temperature}
          wrong={errors.temperature}
          inputMode="decimal"
          autoComplete="off"
          onChange={(event) => set({ temperature: event.target.value })}
        />
      )}
    </>
  );
}

export function ModelFields(props: FieldsProps) {
  const { form, set, errors } = props;
  const t = useText();
  return (
    <>
      {hasAddress(form.provider) && <Address {...props} />}
      {hasModel(form.provider) && <Answering {...props} />}
      {form.provider !== "manual" && (
        <Field
          label={t.rounds}
          hint={t.roundsHint(ROUNDS_MAX.toString())}
          value={form.rounds}
          wrong={errors.rounds}
          inputMode="numeric"
          autoComplete="off"
          onChange={(event) => set({ rounds: event.target.value })}
        />
      )}
    </>
  );
}
