/** One action of an operator with the reason for it, which stands in the record. */
import { type ReactNode, useState } from "react";
import { problemOf } from "../api/http.ts";
import { Problem } from "../cards/Problem.tsx";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogBody, DialogEnd } from "../ui/Dialog.tsx";
import { TextField } from "../ui/Field.tsx";
import type { Trouble } from "./asked.ts";
import css from "./Operator.module.css";

const REASON_CHARACTERS = 500;

export interface Action {
  readonly title: string;
  /** What it brings about, and who is told of it. */
  readonly about: string;
  readonly word: string;
  readonly harsh?: boolean;
  /** Fields beside the reason, in a form that is sent whole. */
  readonly fields?: ReactNode;
  readonly withoutReason?: boolean;
  /** Whether a field beside the reason is wrong. */
  readonly blocked?: boolean;
  readonly run: (reason: string) => Promise<unknown>;
}

export function ReasonDialog({
  action,
  close,
  done,
}: {
  action: Action;
  close: () => void;
  done: () => void;
}) {
  const t = useText();
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble>(null);
  const ready = !action.blocked && (action.withoutReason || reason.trim() !== "");

  const run = () => {
    if (!ready || busy) return;
    setBusy(true);
    setTrouble(null);
    action.run(reason.trim()).then(
      () => {
        done();
        close();
      },
      (failure: unknown) => {
        setBusy(false);
        setTrouble(problemOf(failure));
      },
    );
  };

  return (
    <Dialog title={action.title} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <DialogBody>
          <p className={css.about}>{action.about}</p>
          {action.fields}
          {!action.withoutReason && (
            <TextField
              label={t.operator.reason}
              hint={t.operator.reasonHint}
              value={reason}
              maxLength={REASON_CHARACTERS}
              rows={2}
              onChange={(event) => setReason(event.target.value)}
            />
          )}
          {trouble !== null && <Problem problem={trouble} />}
        </DialogBody>
        <DialogEnd>
          <Button onClick={close}>{t.cancel}</Button>
          <Button type="submit" look={action.harsh ? "danger" : "primary"} disabled={!ready || busy}>
            {action.word}
          </Button>
        </DialogEnd>
      </form>
    </Dialog>
  );
}
