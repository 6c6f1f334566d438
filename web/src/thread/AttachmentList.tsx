/** The files of the message being written, each with its progress or what went wrong. */
import clsx from "clsx";
import { Paperclip, X } from "lucide-react";
import { type Attachment, inParts, UPLOAD_BYTES_MAX } from "../app/attachments.ts";
import { type Language, useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { bytes, percent, visible } from "../ui/format.ts";
import css from "./Composer.module.css";

function fact(file: Attachment, { text: t, locale }: Language): string {
  if (file.problem === "too-large") return t.fileTooLarge(bytes(UPLOAD_BYTES_MAX));
  if (file.problem === "unreadable") return t.uploadUnreadable;
  if (file.problem !== null) return t.uploadFailed;
  if (file.upload !== null || !inParts(file.size)) return bytes(file.size);
  const far = percent(file.share, locale);
  return file.stage === "waiting" ? `${far} · ${t.uploadWaiting}` : `${far} · ${bytes(file.size)}`;
}

export default function AttachmentList({
  files,
  remove,
  choose,
}: {
  files: readonly Attachment[];
  remove: (id: string) => void;
  choose: () => void;
}) {
  const language = useLanguage();
  const t = language.text;
  return (
    <ul className={css.files}>
      {files.map((file) => (
        <li
          key={file.id}
          className={clsx(css.file, file.problem !== null && css.broken)}
          data-stage={file.upload === null ? file.stage : "done"}
          title={visible(file.name)}
        >
          <Paperclip size={13} aria-hidden="true" />
          <span className={css.name}>{visible(file.name)}</span>
          {file.stage === "lost" ? (
            <button type="button" className={css.again} onClick={choose}>
              {t.uploadChooseAgain}
            </button>
          ) : (
            <small>{fact(file, language)}</small>
          )}
          <Button
            icon
            look="quiet"
            aria-label={t.removeFile(visible(file.name))}
            onClick={() => remove(file.id)}
          >
            <X size={14} aria-hidden="true" />
          </Button>
          {file.upload === null && file.problem === null && (
            <progress
              className={css.progress}
              value={file.share}
              max={1}
              aria-label={`${t.uploading} ${visible(file.name)}`}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
