/** Another name for a file or folder, or another place: a name with `/` in it is a path from the workspace. */
import { type FormEvent, useState } from "react";
import { moveFile } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogBody, DialogEnd } from "../ui/Dialog.tsx";
import { Field } from "../ui/Field.tsx";
import { visible } from "../ui/format.ts";
import { folderOf, nameOf, within, wrongName } from "./file-places.ts";

export interface FileDialogProps {
  path: string;
  folder: boolean;
  /** Commands are running, which may be at work on it. */
  busy: boolean;
  close: () => void;
  done: () => void;
}

export default function RenameFileDialog({ path, busy, close, done }: FileDialogProps) {
  const t = useText();
  const [name, setName] = useState(nameOf(path));
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const wrong = wrongName(name);
  const to = name.includes("/") ? name.replace(/^\/+|\/+$/g, "") : within(folderOf(path), name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wrong !== null || sending) return;
    if (to === path) return close();
    setSending(true);
    moveFile(path, to, busy).then(done, (reason: unknown) => {
      setProblem(problemOf(reason));
      setSending(false);
    });
  };
  return (
    <Dialog title={t.renameFile(visible(nameOf(path)))} close={close}>
      <form onSubmit={submit}>
        <DialogBody>
          <Field
            label={t.newName}
            hint={t.newNameHint}
            wrong={wrong === "dots" ? t.nameWithDots : null}
            value={name}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setName(event.target.value);
              setProblem(null);
            }}
          />
          {busy && <p role="status">{t.commandsMayUseIt}</p>}
          {problem !== null && <Problem problem={problem} />}
        </DialogBody>
        <DialogEnd>
          <Button onClick={close}>{t.cancel}</Button>
          <Button look="primary" type="submit" disabled={wrong !== null || sending}>
            {t.rename}
          </Button>
        </DialogEnd>
      </form>
    </Dialog>
  );
}
