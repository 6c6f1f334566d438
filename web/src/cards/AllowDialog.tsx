/** The warning before a host is opened, and the tap that opens it. */
import { useState } from "react";
import { addEgressRule } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import type { Problem as ProblemRecord } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogBody, DialogEnd } from "../ui/Dialog.tsx";
import { Problem } from "./Problem.tsx";

const DAYS = 30;

export default function AllowDialog({
  host,
  close,
  done,
}: {
  host: string;
  close: () => void;
  done: () => void;
}) {
  const t = useText();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const allow = () => {
    setBusy(true);
    addEgressRule({ host, path: "/", days: DAYS, understood: true }).then(done, (reason: unknown) => {
      setProblem(problemOf(reason));
      setBusy(false);
    });
  };
  return (
    <Dialog title={t.allowHost(host)} close={close}>
      <DialogBody>
        <p>{t.allowHostMeaning(host, DAYS)}</p>
        <p>{t.allowHostWarning}</p>
        {problem !== null && <Problem problem={problem} />}
      </DialogBody>
      <DialogEnd>
        <Button onClick={close}>{t.cancel}</Button>
        <Button look="danger" disabled={busy} onClick={allow}>
          {t.allow}
        </Button>
      </DialogEnd>
    </Dialog>
  );
}
