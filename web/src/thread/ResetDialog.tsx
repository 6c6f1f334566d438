/** What a reset takes and what it leaves, and a word that is typed before it happens. */
import { type FormEvent, useState } from "react";
import { resetComputer } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogBody, DialogEnd } from "../ui/Dialog.tsx";
import { Field } from "../ui/Field.tsx";

export default function ResetDialog({ close }: { close: () => void }) {
  const t = useText();
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const sure = typed.trim().toLowerCase() === t.resetWord;
  const reset = (event: FormEvent) => {
    event.preventDefault();
    if (!sure || busy) return;
    setBusy(true);
    resetComputer().then(close, (reason: unknown) => {
      setProblem(problemOf(reason));
      setBusy(false);
    });
  };
  return (
    <Dialog title={t.resetTitle} close={close}>
      <form onSubmit={reset}>
        <DialogBody>
          <p>{t.resetTakes}</p>
          <p>{t.resetLeaves}</p>
          <Field
            label={t.resetType(t.resetWord)}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
          {problem !== null && <Problem problem={problem} />}
        </DialogBody>
        <DialogEnd>
          <Button onClick={close}>{t.cancel}</Button>
          <Button look="danger" type="submit" disabled={!sure || busy}>
            {t.resetNow}
          </Button>
        </DialogEnd>
      </form>
    </Dialog>
  );
}
