/** Deleting everything of an owner, or one's account with it: what goes, what stays, and the owner's name typed first. */
import { type FormEvent, useState } from "react";
import { useStore } from "zustand";
import { deleteOwner } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { deleteAccount } from "../api/sign-in.ts";
import { directory, refresh } from "../app/directory.ts";
import { forgetAllContent } from "../app/keeping.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Problem as ProblemRecord } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import css from "../settings/DataSection.module.css";
import { forgetShared } from "../share/shared.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogBody, DialogEnd } from "../ui/Dialog.tsx";
import { Field } from "../ui/Field.tsx";

/** As `DELETION_UNDO_DAYS` in the contracts. */
const UNDO_DAYS = 7;

interface Props {
  close: () => void;
  /** The person's id, where they go too, whatever owner the page shows. */
  account?: string;
}

export default function DeleteEverythingDialog({ close, account }: Props) {
  const t = useText();
  const shown = useStore(directory, ({ owner }) => owner?.id ?? "");
  const id = account ?? shown;
  const [typed, setTyped] = useState("");
  const [atOnce, setAtOnce] = useState(false);
  const [busy, setBusy] = useState(false);
  const [goesOn, setGoesOn] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const sure = id !== "" && typed.trim() === id;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!sure || busy) return;
    setBusy(true);
    setProblem(null);
    const remove = account === undefined ? deleteOwner : deleteAccount;
    remove({ confirm: id, at_once: atOnce }).then(
      ({ finished, at_ms }) => {
        if (at_ms !== null) {
          if (id === shown) void refresh();
          else location.assign("/");
          return;
        }
        forgetAllContent();
        void forgetShared();
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
    <Dialog title={account === undefined ? t.deleteEverythingTitle : t.deleteAccountTitle} close={close}>
      <form onSubmit={submit}>
        <DialogBody>
          <p>{account === undefined ? t.deleteEverythingTakes : t.deleteAccountTakes}</p>
          <p>{t.deleteEverythingLater(UNDO_DAYS)}</p>
          <p>{t.deleteEverythingStays}</p>
          <Field
            label={t.deleteEverythingType(id)}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
          <label className={css.atOnce}>
            <input type="checkbox" checked={atOnce} onChange={(event) => setAtOnce(event.target.checked)} />
            {t.deleteEverythingAtOnce}
          </label>
          {goesOn && <p role="status">{t.deleteEverythingGoesOn}</p>}
          {problem !== null && <Problem problem={problem} />}
        </DialogBody>
        <DialogEnd>
          <Button onClick={close}>{t.cancel}</Button>
          <Button look="danger" type="submit" disabled={!sure || busy}>
            {account === undefined ? t.deleteEverythingNow : t.deleteAccountNow}
          </Button>
        </DialogEnd>
      </form>
    </Dialog>
  );
}
