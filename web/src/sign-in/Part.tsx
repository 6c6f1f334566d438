/** A part of the section: a heading, a sentence, what there is, and what of a try went wrong. */
import { type ReactNode, useId } from "react";
import { CopyButton } from "../cards/CopyButton.tsx";
import type { Trouble } from "./attempt.ts";
import css from "./OwnSection.module.css";
import { TroubleNote } from "./TroubleNote.tsx";

interface PartProps {
  title: string;
  about: string;
  trouble: Trouble | null;
  children: ReactNode;
}

export function Part({ title, about, trouble, children }: PartProps) {
  const id = useId();
  return (
    <div className={css.part} role="group" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <p className={css.about}>{about}</p>
      {children}
      <TroubleNote trouble={trouble} />
    </div>
  );
}

/** A secret that no answer shows again. */
export function Once({ text, about, copy }: { text: string; about: string; copy: string }) {
  return (
    <div className={css.once} role="status">
      <p>{about}</p>
      <code>{text}</code>
      <CopyButton text={() => text} label={copy} />
    </div>
  );
}
