/** Makes a bot or changes one: its name, what it is told, and the model it thinks with. */
import { type FormEvent, useState } from "react";
import { useStore } from "zustand";
import { problemOf } from "../api/http.ts";
import { addBot, directory, editBot, removeBot } from "../app/directory.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Bot, Owner, Problem as ProblemRecord, Provider } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogBody, DialogEnd } from "../ui/Dialog.tsx";
import { Choices, Field, TextField } from "../ui/Field.tsx";
import css from "./BotDialog.module.css";
import { bodyOf, errorsOf, formOf } from "./bot-form.ts";
import { type FieldsProps, ModelFields } from "./ModelFields.tsx";

interface BotDialogProps {
  bot: Bot | null;
  close: () => void;
  /** Called with a bot that was just made. */
  made: (bot: Bot) => void;
}

/** Those that the server offers; a recorded conversation is made over the API, and only kept here. */
function offered(owner: Owner | null, bot: Bot | null): readonly Provider[] {
  const found = owner?.providers ?? [];
  return found.filter((provider) => provider !== "scripted" || bot?.model.provider === "scripted");
}

function Fields(props: FieldsProps) {
  const { bot, form, set, errors } = props;
  const t = useText();
  const owner = useStore(directory, (state) => state.owner);
  return (
    <>
      <Field
        label={t.botName}
        value={form.name}
        wrong={errors.name}
        maxLength={200}
        autoComplete="off"
        onFocus={(event) => event.target.select()}
        onChange={(event) => set({ name: event.target.value })}
      />
      <TextField
        label={t.botInstructions}
        hint={t.botInstructionsHint}
        value={form.instructions}
        maxLength={20_000}
        rows={3}
        onChange={(event) => set({ instructions: event.target.value })}
      />
      <Choices
        label={t.botModel}
        value={form.provider}
        choose={(provider) => set({ provider })}
        choices={offered(owner, bot).map((provider) => ({ value: provider, ...t.providers[provider] }))}
      />
      <ModelFields {...props} />
    </>
  );
}

export default function BotDialog({ bot, close, made }: BotDialogProps) {
  const t = useText();
  const [form, setForm] = useState(() => formOf(bot, t));
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const errors = tried ? errorsOf(form, t) : {};

  const attempt = async (action: () => Promise<void>) => {
    setBusy(true);
    try {
      await action();
      close();
    } catch (reason) {
      setProblem(problemOf(reason));
      setBusy(false);
    }
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(errorsOf(form, t)).length > 0) return;
    void attempt(async () => {
      if (bot === null) made(await addBot(bodyOf(form)));
      else await editBot(bot.id, bodyOf(form));
    });
  };

  const remove = () => {
    if (bot === null) return;
    if (!deleting) return setDeleting(true);
    void attempt(() => removeBot(bot.id));
  };

  return (
    <Dialog title={bot === null ? t.newBot : t.botSettings} close={close}>
      <form className={css.form} onSubmit={submit} noValidate>
        <DialogBody>
          <Fields bot={bot} form={form} errors={errors} set={(part) => setForm({ ...form, ...part })} />
          {deleting && (
            <p className={css.sure} role="alert">
              {t.deleteBotSure}
            </p>
          )}
          {problem !== null && (
            <div className={css.problem}>
              <Problem problem={problem} />
            </div>
          )}
        </DialogBody>
        <DialogEnd
          first={
            bot === null ? undefined : (
              <Button look="danger" disabled={busy} onClick={remove}>
                {deleting ? t.deleteWord : t.deleteBot}
              </Button>
            )
          }
        >
          <Button onClick={close}>{t.cancel}</Button>
          <Button look="primary" type="submit" disabled={busy}>
            {bot === null ? t.createBot : t.saveBot}
          </Button>
        </DialogEnd>
      </form>
    </Dialog>
  );
}
