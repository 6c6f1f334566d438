/** Everything as one file: have it made, see how far it is, take it away. */
import { Download } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { archiveFile, getArchive, makeArchive, removeArchive } from "../api/archive.ts";
import { problemOf } from "../api/http.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Archive, Problem as ProblemRecord } from "../contracts.ts";
import { useLanguage, useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { bytes, dateAndTime } from "../ui/format.ts";
import css from "./DataSection.module.css";

const LOOK_MS = 2_000;
const MAY_MAKE = new Set(["none", "failed", "ready"]);

function Standing({ archive }: { archive: Archive }) {
  const t = useText();
  const { made = 0, files = 0, missing = 0, left_out = 0 } = archive;
  const { locale } = useLanguage();
  if (archive.state === "none") return null;
  if (archive.state === "failed") return <p role="alert">{t.archiveFailed}</p>;
  if (archive.state === "building") return <p role="status">{t.archiveBuilding(made, files)}</p>;
  const absent = missing + left_out;
  return (
    <>
      <p role="status">
        {t.archiveReady(dateAndTime(archive.created_ms ?? 0, locale), bytes(archive.size ?? 0))}{" "}
        {t.archiveUntil(dateAndTime(archive.until_ms ?? 0, locale))}
      </p>
      {absent > 0 && <p>{t.archiveAbsent(absent)}</p>}
      <a className={css.download} href={archiveFile()} download>
        <Download size={16} aria-hidden="true" />
        {t.archiveDownload}
      </a>
    </>
  );
}

/** `Heading` is the level below the page's own. */
export function ArchivePart({ heading: Heading = "h3" }: { heading?: "h2" | "h3" }) {
  const t = useText();
  const [archive, setArchive] = useState<Archive | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const failed = useCallback((reason: unknown) => setProblem(problemOf(reason)), []);
  const look = useCallback(() => {
    getArchive().then(setArchive, failed);
  }, [failed]);
  useEffect(look, [look]);
  const building = archive?.state === "building";
  useEffect(() => {
    if (!building) return;
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [building, look]);
  const change = (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    work()
      .then(look, failed)
      .finally(() => setBusy(false));
  };
  return (
    <section aria-label={t.archiveTitle} className={css.part}>
      <Heading className={css.heading}>{t.archiveTitle}</Heading>
      <p className={css.about}>{t.archiveAbout}</p>
      {archive !== null && <Standing archive={archive} />}
      {problem !== null && <Problem problem={problem} />}
      <div className={css.buttons}>
        {archive !== null && MAY_MAKE.has(archive.state ?? "none") && (
          <Button disabled={busy} onClick={() => change(makeArchive)}>
            {archive.state === "ready" ? t.archiveAgain : t.archiveMake}
          </Button>
        )}
        {archive !== null && (archive.state ?? "none") !== "none" && (
          <Button disabled={busy} onClick={() => change(removeArchive)}>
            {archive.state === "building" ? t.cancel : t.archiveRemove}
          </Button>
        )}
      </div>
    </section>
  );
}
