/** A file the bot read, wrote or edited. What is in it is shown on demand; what changed is shown at once. */
import { ChevronDown, ChevronUp, FilePen, FileText } from "lucide-react";
import { pictureOf } from "../api/berth.ts";
import { useLanguage } from "../i18n/text.ts";
import type { FileCard as FileRecord } from "../stream/cards.ts";
import { Button } from "../ui/Button.tsx";
import { Chip } from "../ui/Chip.tsx";
import { count, visible } from "../ui/format.ts";
import { useKept } from "../ui/kept.ts";
import card from "./Card.module.css";
import { DiffView, Tally } from "./DiffView.tsx";
import { ExpandFile } from "./ExpandButton.tsx";
import css from "./FileCard.module.css";
import { Output } from "./Output.tsx";
import { Problem } from "./Problem.tsx";

function word(record: FileRecord, t: ReturnType<typeof useLanguage>["text"]): string {
  const over = record.finishedMs !== null;
  if (record.action === "read") return over ? t.read : t.reading;
  if (record.action === "edit" || record.picture !== null) return over ? t.edited : t.editing;
  return over ? t.wrote : t.writing;
}

export function FileCard({ record }: { record: FileRecord }) {
  const { text: t, locale } = useLanguage();
  const path = visible(record.path);
  const diff = record.change === null ? "" : record.text;
  const [open, setOpen] = useKept(`file:${record.key}`, record.action === "edit");
  const over = record.finishedMs !== null || record.abandoned;
  const lines = record.content.replace(/\n$/, "").split("\n");
  const Icon = record.action === "read" ? FileText : FilePen;
  const shows = record.problem === null && (record.content !== "" || diff !== "");
  return (
    <div className={card.card} role="group" aria-label={path} data-card="file">
      <div className={card.head}>
        <Icon size={16} aria-hidden="true" />
        <span className={card.name}>
          {word(record, t)} <span className={card.mono}>{path}</span>
        </span>
        {!over && <Chip tone="running">{t.toolRunning}</Chip>}
        {record.abandoned && <Chip tone="attention">{t.lost}</Chip>}
        {record.problem !== null && <Chip tone="failed">{t.toolFailed}</Chip>}
        {record.problem === null && over && <ExpandFile path={record.path} />}
        {shows && (
          <Button
            look="quiet"
            aria-expanded={open}
            aria-label={open ? t.hideContent : t.showContent}
            onClick={() => setOpen(!open)}
          >
            {diff === "" || record.change === null ? (
              t.lines(lines.length, count(lines.length, locale))
            ) : (
              <Tally change={record.change} />
            )}
            {open ? <ChevronUp size={14} aria-hidden="true" /> : <ChevronDown size={14} aria-hidden="true" />}
          </Button>
        )}
      </div>
      {record.problem !== null && <Problem problem={record.problem} />}
      {open && record.picture !== null && (
        <img
          className={css.picture}
          src={pictureOf(record.key)}
          width={record.picture.width}
          height={record.picture.height}
          alt={t.previewOf(path)}
          decoding="async"
        />
      )}
      {open && shows && diff === "" && <Output lines={lines} label={t.fileContent(path)} tall />}
      {open && diff !== "" && <DiffView diff={diff} cut={record.change?.cut ?? false} path={record.path} />}
    </div>
  );
}
