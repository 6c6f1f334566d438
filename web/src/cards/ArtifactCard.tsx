/** A file the bot hands over: preview in place and download. A picture is shown at once, the rest on demand. */

import { Download, FileOutput } from "lucide-react";
import { lazy } from "react";
import { artifactContent, artifactPreview } from "../api/berth.ts";
import type { Artifact } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import type { ArtifactCard as ArtifactRecord } from "../stream/cards.ts";
import { Button } from "../ui/Button.tsx";
import { Chip } from "../ui/Chip.tsx";
import { bytes, visible } from "../ui/format.ts";
import { useKept } from "../ui/kept.ts";
import { LazyPart } from "../ui/LazyPart.tsx";
import css from "./ArtifactCard.module.css";
import { artifactKind, extension } from "./artifact-kind.ts";
import card from "./Card.module.css";
import { Problem } from "./Problem.tsx";

const Preview = lazy(() => import("./Preview.tsx"));

const SHOWN_AT_ONCE = 5 * 1024 * 1024;

/** `opened`: its preview is shown at once, whatever kind it is of. */
export function ArtifactView({ artifact, opened = false }: { artifact: Artifact; opened?: boolean }) {
  const t = useText();
  const kind = artifactKind(artifact);
  const name = visible(artifact.name);
  const [open, setOpen] = useKept(
    `artifact:${artifact.id}`,
    (opened || kind === "image") && artifact.size <= SHOWN_AT_ONCE,
  );
  return (
    <div className={card.card} role="group" aria-label={name} data-card="artifact">
      <div className={css.body}>
        <span className={css.badge} aria-hidden="true">
          {extension(artifact.name) || <FileOutput size={18} />}
        </span>
        <span className={css.what}>
          <span className={css.name} title={name}>
            {name}
          </span>
          <span className={css.facts}>
            {artifact.media_type} · {bytes(artifact.size)}
          </span>
        </span>
        <span className={css.actions}>
          {kind === "document" && (
            <a className={css.download} href={artifactPreview(artifact.id)} target="_blank" rel="noreferrer">
              {t.open}
            </a>
          )}
          {kind !== "other" && kind !== "document" && (
            <Button aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? t.hidePreview : t.preview}
            </Button>
          )}
          <a className={css.download} href={artifactContent(artifact.id)} download={artifact.name}>
            <Download size={15} aria-hidden="true" />
            {t.download}
          </a>
        </span>
      </div>
      {open && (
        <div className={css.preview}>
          <LazyPart>
            <Preview artifact={artifact} kind={kind} />
          </LazyPart>
        </div>
      )}
    </div>
  );
}

export function ArtifactCard({ record }: { record: ArtifactRecord }) {
  const t = useText();
  if (record.artifact !== null) return <ArtifactView artifact={record.artifact} />;
  const over = record.finishedMs !== null || record.abandoned;
  return (
    <div className={card.card} role="group" aria-label={visible(record.path)} data-card="artifact">
      <div className={card.head}>
        <FileOutput size={16} aria-hidden="true" />
        <span className={`${card.name} ${card.mono}`}>{visible(record.path)}</span>
        {over ? <Chip tone="failed">{t.exportFailed}</Chip> : <Chip tone="running">{t.exporting}</Chip>}
      </div>
      {record.problem !== null && <Problem problem={record.problem} />}
    </div>
  );
}
