/** Takes files that are dropped anywhere on the conversation. */
import { Upload } from "lucide-react";
import { type DragEvent, type ReactNode, useState } from "react";
import { attach } from "../app/attachments.ts";
import { useMay } from "../app/rights.ts";
import { useText } from "../i18n/text.ts";
import css from "./DropZone.module.css";

const holdsFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");

export function DropZone({ threadId, children }: { threadId: string; children: ReactNode }) {
  const t = useText();
  const [over, setOver] = useState(false);
  const may = useMay("chat");
  const takes = (event: DragEvent) => may && holdsFiles(event);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the attach button does the same for everybody
    <div
      className={css.zone}
      onDragOver={(event) => {
        if (!takes(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        if (!takes(event)) return;
        event.preventDefault();
        setOver(false);
        attach(threadId, [...event.dataTransfer.files]);
      }}
    >
      {children}
      {over && (
        <div className={css.over}>
          <Upload size={20} aria-hidden="true" />
          {t.dropHere}
        </div>
      )}
    </div>
  );
}
