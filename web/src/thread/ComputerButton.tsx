/** How the computer is, in one quiet word, with more and a way to put it on standby behind it. */
import { Monitor } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import type { Computer } from "../contracts.ts";
import { type Dictionary, useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import css from "./ComputerButton.module.css";

const load = () => import("./ComputerPanel.tsx");
const ComputerPanel = lazy(load);
const FilesDialog = lazy(() => import("./FilesDialog.tsx"));

export function computerWord(computer: Computer, t: Dictionary): string {
  if (computer.ban) return t.computerBlocked;
  if (computer.state === "standby") return t.computerStandby;
  return computer.state === "starting" ? t.computerStarting : t.computerRunning;
}

export function ComputerButton({ computer }: { computer: Computer }) {
  const t = useText();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const [files, setFiles] = useState(false);
  const word = computerWord(computer, t);
  return (
    <>
      <Button
        ref={button}
        look="quiet"
        className={css.computer}
        data-state={computer.state}
        aria-label={`${t.computer}: ${word}`}
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
        onClick={() => setOpen(true)}
      >
        <Monitor size={16} aria-hidden="true" />
        <span className={css.word}>{word}</span>
        <span className={css.dot} aria-hidden="true" />
      </Button>
      {open && (
        <Suspense>
          <ComputerPanel
            anchor={button}
            computer={computer}
            close={() => setOpen(false)}
            showFiles={() => {
              setOpen(false);
              setFiles(true);
            }}
          />
        </Suspense>
      )}
      {files && (
        <Suspense>
          <FilesDialog computer={computer} close={() => setFiles(false)} />
        </Suspense>
      )}
    </>
  );
}
