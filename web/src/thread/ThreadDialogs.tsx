/** Renaming a thread. */
import { type FormEvent, useState } from "react";
import { problemOf } from "../api/http.ts";
import { renameThread } from "../app/directory.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord, Thread } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogBody, DialogEnd } from "../ui/Dialog.tsx";
import { Field } from "../ui/Field.tsx";

interface ThreadDialogProps {
  thread: Thread;
  close: () => void;
  done: () => void;
}

function useAttempt(done: () => void) {
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const attempt = (action: Promise<void>) => {
    action.then(done, (reason: unknown) => setProblem(problemOf(reason)));
  };
  return { problem, attempt };
}

export function RenameDialog({ thread, close, done }: ThreadDialogProps) {
  const t = useText();
  const [title, setTitle] = useState(thread.title);
  const { problem, attempt } = useAttempt(done);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() !== "") attempt(renameThread(thread.id, title.trim()));
  };
  return (
    <Dialog title={t.renameThread} close={close}>
      <form onSubmit={submit}>
        <DialogBody>
          <Field
            label={t.title}
            value={title}
            maxLength={200}
            autoComplete="off"
            onChange={(event) => setTitle(event.target.value)}
          />
          {problem !== null && <Problem problem={problem} />}
        </DialogBody>
        <DialogEnd>
          <Button onClick={close}>{t.cancel}</Button>
          <Button look="primary" type="submit" disabled={title.trim() === ""}>
            {t.save}
          </Button>
        </DialogEnd>
      </form>
    </Dialog>
  );
}
