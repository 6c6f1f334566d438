/** For a while after a thread was deleted: the way back. It does not run out under a pointer or the focus. */
import { Undo2, X } from "lucide-react";
import { useEffect, useState } from "react";
import { restoreThread } from "../api/berth.ts";
import type { Thread } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { removed, withThread } from "./directory.ts";
import { useMay } from "./rights.ts";
import css from "./UndoToast.module.css";

const UNDO_MS = 30_000;

const forgetRemoval = () => removed.setState({ thread: null });

export default function UndoToast({ thread, back }: { thread: Thread; back: (threadId: string) => void }) {
  const t = useText();
  const [trouble, setTrouble] = useState(false);
  const [held, setHeld] = useState(false);
  const may = useMay("chat");
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(forgetRemoval, UNDO_MS);
    return () => clearTimeout(timer);
  }, [held]);
  const undo = () => {
    restoreThread(thread.id).then(
      (restored) => {
        withThread(restored);
        forgetRemoval();
        back(restored.id);
      },
      () => setTrouble(true),
    );
  };
  return (
    <fieldset
      className={css.toast}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
    >
      <span className={css.text}>{trouble ? t.undoFailed : t.threadDeleted(thread.title || t.untitled)}</span>
      {may && (
        <Button onClick={undo}>
          <Undo2 size={14} aria-hidden="true" />
          {t.undo}
        </Button>
      )}
      <Button icon look="quiet" aria-label={t.dismiss} onClick={forgetRemoval}>
        <X size={15} aria-hidden="true" />
      </Button>
    </fieldset>
  );
}
