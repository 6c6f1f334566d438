/** An artifact shown in place: a picture, a table or a text. */

import { lazy, Suspense, useEffect, useState } from "react";
import { artifactPreview } from "../api/berth.ts";
import { ApiError } from "../api/http.ts";
import type { Artifact } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { visible } from "../ui/format.ts";
import type { ArtifactKind } from "./artifact-kind.ts";
import { Output, scrollable } from "./Output.tsx";
import css from "./Preview.module.css";
import { type Beginning, readBeginning } from "./preview-text.ts";

const Markdown = lazy(() => import("./Markdown.tsx"));
const TablePreview = lazy(() => import("./TablePreview.tsx"));
const Lightbox = lazy(() => import("../ui/Lightbox.tsx"));

function Picture({ artifact, failed }: { artifact: Artifact; failed: () => void }) {
  const t = useText();
  const [large, setLarge] = useState(false);
  const source = artifactPreview(artifact.id);
  return (
    <>
      <button
        type="button"
        className={`${css.image} ${css.paper}`}
        aria-label={`${t.openLarge}: ${visible(artifact.name)}`}
        onClick={() => setLarge(true)}
      >
        <img src={source} alt={t.previewOf(visible(artifact.name))} decoding="async" onError={failed} />
      </button>
      {large && (
        <Suspense>
          <Lightbox source={source} name={visible(artifact.name)} close={() => setLarge(false)} />
        </Suspense>
      )}
    </>
  );
}

interface TextProps {
  artifact: Artifact;
  kind: ArtifactKind;
  failed: () => void;
}

function Text({ artifact, kind, failed }: TextProps) {
  const t = useText();
  const [beginning, setBeginning] = useState<Beginning | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `failed` only reports, it changes nothing here
  useEffect(() => {
    const abort = new AbortController();
    readBeginning(artifactPreview(artifact.id), abort.signal).then(setBeginning, (reason: unknown) => {
      if (abort.signal.aborted) return;
      if (reason instanceof ApiError || reason instanceof TypeError) return failed();
      throw reason;
    });
    return () => abort.abort();
  }, [artifact.id]);

  const label = t.previewOf(visible(artifact.name));
  if (beginning === null) return <p className={css.wait}>{t.loading}</p>;
  if (kind === "markdown") {
    return (
      <div className={css.markdown} {...scrollable(label)}>
        <Suspense fallback={<p className={css.wait}>{t.loading}</p>}>
          <Markdown text={beginning.text} />
        </Suspense>
        {beginning.cut && <p className={css.note}>{t.previewTextCut}</p>}
      </div>
    );
  }
  if (kind === "table") {
    return (
      <Suspense fallback={<p className={css.wait}>{t.loading}</p>}>
        <TablePreview beginning={beginning} label={label} />
      </Suspense>
    );
  }
  return (
    <>
      <Output lines={beginning.text.replace(/\n$/, "").split("\n")} label={label} tall />
      {beginning.cut && <p className={css.note}>{t.previewTextCut}</p>}
    </>
  );
}

/** A page of somebody else: in a frame of no origin, in which nothing runs. */
function Page({ artifact }: { artifact: Artifact }) {
  const t = useText();
  return (
    <iframe
      className={css.page}
      title={t.previewOf(visible(artifact.name))}
      src={artifactPreview(artifact.id)}
      sandbox=""
      referrerPolicy="no-referrer"
    />
  );
}

export default function Preview({ artifact, kind }: { artifact: Artifact; kind: ArtifactKind }) {
  const t = useText();
  const [failed, setFailed] = useState(false);
  if (failed) return <p className={css.note}>{t.previewFailed}</p>;
  const fail = () => setFailed(true);
  if (kind === "page") return <Page artifact={artifact} />;
  if (kind === "image") return <Picture artifact={artifact} failed={fail} />;
  return <Text artifact={artifact} kind={kind} failed={fail} />;
}
