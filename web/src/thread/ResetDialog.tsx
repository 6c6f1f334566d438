/** What a reset takes and what it leaves, before it happens. */
import { useState } from "react";
import { resetComputer } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogBody, DialogEnd } from "../ui/Dialog.tsx";

export default function ResetDialog({ close }: { close: () => void }) {
  const t = useText();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const reset = () => {
    setBusy(true);
    resetComputer().then(close, (reason: unknown) => {
      setProblem(problemOf(reason));
      setBusy(false);
    });
  };
  return (
    <Dialog title={t.resetTitle} close={close}>
      <DialogBody>
        <p>{t.resetTakes}</p>
        <p>{t.resetLeaves}</p>
        {problem !== null && <Problem problem={problem} />}
      </DialogBody>
      <DialogEnd>
        <Button onClick={close}>{t.cancel}</Button>
        <Button look="danger" disabled={busy} onClick={reset}>
          {t.resetNow}
        </Button>
      </DialogEnd>
    </Dialog>
  );
}
