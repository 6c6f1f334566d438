/** Deleting everything of an owner: what goes, what stays, and the owner's name typed before it happens. */
import { type FormEvent, useState } from "react";
import { useStore } from "zustand";
import { deleteOwner } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { directory } from "../app/directory.ts";
import { forgetContent } from "../app/storage.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogBody, DialogEnd } from "../ui/Dialog.tsx";
import { Field } from "../ui/Field.tsx";

export default function DeleteEverythingDialog({ close }: { close: () => void }) {
  const t = useText();
  const id = useStore(directory, ({ owner }) => owner?.id ?? "");
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [goesOn, setGoesOn] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const sure = id !== "" && typed.trim() === id;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!sure || busy) return;
    setBusy(true);
    setProblem(null);
    deleteOwner({ confirm: id }).then(
      ({ finished }) => {
        forgetContent();
        if (finished) location.assign("/");
        setGoesOn(!finished);
        setBusy(false);
      },
      (reason: unknown) => {
        setProblem(problemOf(reason));
        setBusy(false);
      },
    );
  };
  return (
    <Dialog title={t.deleteEverythingTitle} close={close}>
      <form onSubmit={submit}>
        <DialogBody>
          <p>{t.deleteEverythingTakes}</p>
          <p>{t.deleteEverythingStays}</p>
          <Field
            label={t.deleteEverythingType(id)}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
          {goesOn && <p role="status">{t.deleteEverythingGoesOn}</p>}
          {problem !== null && <Problem problem={problem} />}
        </DialogBody>
        <DialogEnd>
          <Button onClick={close}>{t.cancel}</Button>
          <Button look="danger" type="submit" disabled={!sure || busy}>
            {t.deleteEverythingNow}
          </Button>
        </DialogEnd>
      </form>
    </Dialog>
  );
}
