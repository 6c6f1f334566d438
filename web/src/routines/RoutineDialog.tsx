/** Makes a routine or changes one. What it may do by itself is off until somebody switches it on here. */
import { type FormEvent, useState } from "react";
import { useStore } from "zustand";
import { problemOf } from "../api/http.ts";
import { changeRoutine, createRoutine, deleteRoutine } from "../api/routines.ts";
import { directory } from "../app/directory.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord, Routine } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import dialog from "../rail/BotDialog.module.css";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogBody, DialogEnd } from "../ui/Dialog.tsx";
import { Field, SelectField, TextField } from "../ui/Field.tsx";
import { CheckFields } from "./CheckFields.tsx";
import { LimitFields, PermitFields } from "./PermitFields.tsx";
import { bodyOf, emptyForm, errorsOf, formOf } from "./routine-form.ts";
import { type FormProps, ScheduleFields } from "./ScheduleFields.tsx";

interface RoutineDialogProps {
  routine: Routine | null;
  close: () => void;
  /** Called when something has changed on the server. */
  changed: () => void;
}

function Basics({ form, errors, set, fresh }: FormProps & { fresh: boolean }) {
  const t = useText();
  const bots = useStore(directory, (all) => all.bots) ?? [];
  return (
    <>
      <Field
        label={t.botName}
        value={form.name}
        wrong={errors.name}
        maxLength={100}
        autoComplete="off"
        onChange={(event) => set({ name: event.target.value })}
      />
      {fresh && (
        <SelectField
          label={t.routine.bot}
          wrong={errors.botId}
          value={form.botId}
          choose={(botId) => set({ botId })}
          options={bots.map((bot) => ({ value: bot.id, label: bot.name }))}
        />
      )}
      <TextField
        label={t.routine.prompt}
        hint={t.routine.promptHint}
        value={form.prompt}
        wrong={errors.prompt}
        rows={3}
        onChange={(event) => set({ prompt: event.target.value })}
      />
    </>
  );
}

export default function RoutineDialog({ routine, close, changed }: RoutineDialogProps) {
  const t = useText();
  const [form, setForm] = useState(() =>
    routine === null
      ? emptyForm(directory.getState().bots?.[0]?.id ?? "", Date.now())
      : formOf(routine, Date.now()),
  );
  // One id for as long as the dialog is open: what is sent twice is made once.
  const [clientId] = useState(() => crypto.randomUUID());
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const errors = tried ? errorsOf(form, t) : {};
  const props = { form, errors, set: (part: Partial<typeof form>) => setForm({ ...form, ...part }) };

  const attempt = async (action: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await action();
      changed();
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
    const body = bodyOf(form);
    void attempt(() =>
      routine === null
        ? createRoutine({ ...body, client_id: clientId, bot_id: form.botId })
        : changeRoutine(routine.id, body),
    );
  };

  const remove = () => {
    if (routine === null) return;
    if (!deleting) return setDeleting(true);
    void attempt(() => deleteRoutine(routine.id));
  };

  return (
    <Dialog title={routine === null ? t.routine.fresh : t.routine.edit} close={close}>
      <form className={dialog.form} onSubmit={submit} noValidate>
        <DialogBody>
          <Basics {...props} fresh={routine === null} />
          <ScheduleFields {...props} />
          <CheckFields checks={form.checks} set={(checks) => props.set({ checks })} />
          <PermitFields {...props} />
          <LimitFields {...props} />
          {deleting && (
            <p className={dialog.sure} role="alert">
              {t.routine.deleteSure}
            </p>
          )}
          {problem !== null && (
            <div className={dialog.problem}>
              <Problem problem={problem} />
            </div>
          )}
        </DialogBody>
        <DialogEnd
          first={
            routine === null ? undefined : (
              <Button look="danger" disabled={busy} onClick={remove}>
                {t.deleteWord}
              </Button>
            )
          }
        >
          <Button onClick={close}>{t.cancel}</Button>
          <Button look="primary" type="submit" disabled={busy}>
            {routine === null ? t.routine.create : t.save}
          </Button>
        </DialogEnd>
      </form>
    </Dialog>
  );
}
