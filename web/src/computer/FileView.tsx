/** One file of the computer, shown in place: a picture, a table, a text, a page of Markdown. Read while the computer runs. */

import { ChevronLeft, Download, MessageSquarePlus } from "lucide-react";
import { lazy, useEffect, useState } from "react";
import { fileContent } from "../api/berth.ts";
import { ApiError } from "../api/http.ts";
import { type ArtifactKind, kindOfName } from "../cards/artifact-kind.ts";
import { scrollable } from "../cards/Output.tsx";
import { type Beginning, readBeginning } from "../cards/preview-text.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { visible } from "../ui/format.ts";
import { LazyPart } from "../ui/LazyPart.tsx";
import css from "./FileView.module.css";
import { nameOf } from "./file-places.ts";
import { readPicture } from "./picture.ts";

const Markdown = lazy(() => import("../cards/Markdown.tsx"));
const TablePreview = lazy(() => import("../cards/TablePreview.tsx"));
const CodeText = lazy(() => import("../cards/CodeText.tsx"));
const Lightbox = lazy(() => import("../ui/Lightbox.tsx"));

interface FileViewProps {
  path: string;
  runs: boolean;
  back: () => void;
  /** Null for who does not write to the bot. */
  ask: (() => void) | null;
}

type Shown =
  | { readonly is: "coming" | "gone" | "binary" | "failed" }
  | { readonly is: "text"; readonly beginning: Beginning }
  | { readonly is: "picture"; readonly url: string };

function useContent(path: string, kind: ArtifactKind, runs: boolean): Shown {
  const [shown, setShown] = useState<Shown>({ is: "coming" });
  useEffect(() => {
    if (!runs) return;
    const abort = new AbortController();
    let made: string | null = null;
    const read = async (): Promise<Shown> => {
      if (kind === "image") {
        made = await readPicture(fileContent(path), nameOf(path), abort.signal);
        return { is: "picture", url: made };
      }
      const beginning = await readBeginning(fileContent(path), abort.signal);
      return beginning.text.includes("\0") ? { is: "binary" } : { is: "text", beginning };
    };
    read().then(setShown, (reason: unknown) => {
      if (abort.signal.aborted) return;
      if (reason instanceof ApiError && reason.status === 404) return setShown({ is: "gone" });
      if (reason instanceof ApiError || reason instanceof TypeError) return setShown({ is: "failed" });
      throw reason;
    });
    return () => {
      abort.abort();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [path, kind, runs]);
  return shown;
}

function Picture({ url, name }: { url: string; name: string }) {
  const t = useText();
  const [large, setLarge] = useState(false);
  return (
    <>
      <button
        type="button"
        className={css.picture}
        aria-label={`${t.openLarge}: ${name}`}
        onClick={() => setLarge(true)}
      >
        <img src={url} alt={t.previewOf(name)} decoding="async" />
      </button>
      {large && (
        <LazyPart close={() => setLarge(false)}>
          <Lightbox source={url} name={name} close={() => setLarge(false)} />
        </LazyPart>
      )}
    </>
  );
}

function Text({ beginning, kind, path }: { beginning: Beginning; kind: ArtifactKind; path: string }) {
  const t = useText();
  const label = t.fileContent(visible(path));
  if (beginning.text === "") return <p className={css.note}>{t.emptyFile}</p>;
  return (
    <LazyPart fallback={<p className={css.note}>{t.loading}</p>}>
      {kind === "markdown" ? (
        <div className={css.markdown} {...scrollable(label)}>
          <Markdown text={beginning.text} />
        </div>
      ) : kind === "table" ? (
        <TablePreview beginning={beginning} label={label} />
      ) : (
        <CodeText text={beginning.text} name={nameOf(path)} label={label} />
      )}
      {beginning.cut && kind !== "table" && <p className={css.note}>{t.previewTextCut}</p>}
    </LazyPart>
  );
}

export default function FileView({ path, runs, back, ask }: FileViewProps) {
  const t = useText();
  const kind = kindOfName(path);
  const shown = useContent(path, kind, runs);
  const name = visible(nameOf(path));
  const word = !runs
    ? t.fileAsleep
    : {
        coming: t.loading,
        gone: t.fileGone,
        binary: t.fileBinary,
        failed: t.previewFailed,
        text: "",
        picture: "",
      }[shown.is];
  return (
    <div className={css.view}>
      <div className={css.head}>
        <Button icon look="quiet" aria-label={t.backToFolder} onClick={back}>
          <ChevronLeft size={17} aria-hidden="true" />
        </Button>
        <h3 title={visible(path)}>
          <bdi>{name}</bdi>
        </h3>
        {ask !== null && (
          <Button icon look="quiet" aria-label={t.askAbout} onClick={ask}>
            <MessageSquarePlus size={16} aria-hidden="true" />
          </Button>
        )}
        {runs && (
          <a
            className={css.action}
            href={fileContent(path)}
            download
            title={t.download}
            aria-label={`${t.download}: ${name}`}
          >
            <Download size={16} aria-hidden="true" />
          </a>
        )}
      </div>
      {word !== "" && (
        <p className={css.note} role="status">
          {word}
        </p>
      )}
      {runs && shown.is === "text" && <Text beginning={shown.beginning} kind={kind} path={path} />}
      {runs && shown.is === "picture" && <Picture url={shown.url} name={name} />}
    </div>
  );
}
