/** Ten codes that are shown this once: to copy, to save as a file, and to say that they are kept. */
import { Download } from "lucide-react";
import { useEffect, useMemo } from "react";
import { CopyButton } from "../cards/CopyButton.tsx";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import css from "./SignIn.module.css";

export function RecoveryCodeList({ codes, kept }: { codes: readonly string[]; kept: () => void }) {
  const { signIn: t } = useText();
  const text = `${t.codesFileHead}\n\n${codes.join("\n")}\n`;
  const file = useMemo(() => URL.createObjectURL(new Blob([text], { type: "text/plain" })), [text]);
  useEffect(() => () => URL.revokeObjectURL(file), [file]);
  return (
    <>
      <ul className={css.codes} aria-label={t.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={css.row}>
        <Button look="primary" onClick={kept}>
          {t.codesKept}
        </Button>
        <a href={file} download="berth-recovery-codes.txt" className={css.save}>
          <Download size={15} aria-hidden="true" />
          {t.codesSave}
        </a>
        <CopyButton text={() => codes.join("\n")} label={t.codesCopy} />
      </div>
    </>
  );
}
