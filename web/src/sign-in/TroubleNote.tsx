/** What became of a try that did not sign anybody in. What is meant here by a refusal is said in this page's own words. */
import { Problem } from "../cards/Problem.tsx";
import { type Dictionary, useText } from "../i18n/text.ts";
import type { Trouble } from "./attempt.ts";
import css from "./SignIn.module.css";

function ownWords(
  trouble: Trouble,
  byCode: boolean,
  t: Dictionary["signIn"],
): { title: string; advice: string } | null {
  if (trouble === "declined") return t.declined;
  if (trouble === "already-there") return t.alreadyThere;
  if (trouble === "unreachable") return null;
  if (trouble.code === "unauthenticated") return t.refused;
  if (trouble.code !== "forbidden") return null;
  return byCode ? t.wrongCode : t.uninvited;
}

interface TroubleNoteProps {
  trouble: Trouble | null;
  /** A code was given, so it is the code that lets nobody in. */
  byCode?: boolean;
}

export function TroubleNote({ trouble, byCode = false }: TroubleNoteProps) {
  const t = useText();
  if (trouble === null) return null;
  const own = ownWords(trouble, byCode, t.signIn);
  return (
    <div className={css.trouble} role="alert">
      {own === null ? (
        <Problem problem={trouble as Exclude<Trouble, "declined" | "already-there">} />
      ) : (
        <p className={css.note}>
          <strong>{own.title}</strong>
          {own.advice}
        </p>
      )}
    </div>
  );
}
