/** What goes for good, before it goes. */
import { useState } from "react";
import { removeFile } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogBody, DialogEnd } from "../ui/Dialog.tsx";
import { visible } from "../ui/format.ts";
import { nameOf } from "./file-places.ts";
import type { FileDialogProps } from "./RenameFileDialog.tsx";

export default function RemoveFileDialog({ path, folder, busy, close, done }: FileDialogProps) {
  const t = useText();
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const remove = () => {
    setSending(true);
    removeFile(path, busy).then(done, (reason: unknown) => {
      setProblem(problemOf(reason));
      setSending(false);
    });
  };
  return (
    <Dialog title={t.deleteFile(visible(nameOf(path)))} close={close}>
      <DialogBody>
        <p>{folder ? t.removesFolder : t.removesFile}</p>
        {busy && <p role="status">{t.commandsMayUseIt}</p>}
        {problem !== null && <Problem problem={problem} />}
      </DialogBody>
      <DialogEnd>
        <Button onClick={close}>{t.cancel}</Button>
        <Button look="danger" disabled={sending} onClick={remove}>
          {t.deleteWord}
        </Button>
      </DialogEnd>
    </Dialog>
  );
}
