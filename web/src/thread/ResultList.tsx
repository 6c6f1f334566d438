/** The files that bots handed over, from all threads: download, rename, delete. */
import { Download, Pencil, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { artifactContent, deleteArtifact, getArtifacts, renameArtifact } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { useMay } from "../app/rights.ts";
import type { Artifact } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { bytes, moment, visible } from "../ui/format.ts";
import css from "./FilesDialog.module.css";

interface ResultProps {
  artifact: Artifact;
  changed: (artifact: Artifact) => void;
  deleted: () => void;
  failed: (reason: unknown) => void;
}

function Result({ artifact, changed, deleted, failed }: ResultProps) {
  const { text: t, locale } = useLanguage();
  const [name, setName] = useState<string | null>(null);
  const [sure, setSure] = useState(false);
  const now = useNow(false);
  const may = useMay("chat");
  const rename = () => {
    if (name === null || name.trim() === "") return setName(null);
    renameArtifact(artifact.id, name).then((done) => {
      changed(done);
      setName(null);
    }, failed);
  };
  if (may && name !== null) {
    return (
      <li className={css.row}>
        <form
          className={css.form}
          onSubmit={(event) => {
            event.preventDefault();
            rename();
          }}
        >
          <input
            className={css.input}
            aria-label={t.rename}
            value={name}
            onChange={(e) => setName(e.target.value)}
          />
          <Button type="submit">{t.save}</Button>
          <Button look="quiet" onClick={() => setName(null)}>
            {t.cancel}
          </Button>
        </form>
      </li>
    );
  }
  return (
    <li className={css.row}>
      <span className={css.result} title={visible(artifact.name)}>
        <bdi>{visible(artifact.name)}</bdi>
      </span>
      <small className={css.size}>{bytes(artifact.size)}</small>
      <small className={css.time}>{moment(artifact.created_ms, now, locale)}</small>
      <a
        className={css.action}
        href={artifactContent(artifact.id)}
        download={artifact.name}
        aria-label={`${t.download}: ${visible(artifact.name)}`}
      >
        <Download size={15} aria-hidden="true" />
      </a>
      {may && (
        <Button
          icon
          look="quiet"
          aria-label={`${t.rename}: ${visible(artifact.name)}`}
          onClick={() => setName(artifact.name)}
        >
          <Pencil size={15} aria-hidden="true" />
        </Button>
      )}
      {!may ? null : sure ? (
        <Button onClick={() => deleteArtifact(artifact.id).then(deleted, failed)}>{t.deleteWord}</Button>
      ) : (
        <Button
          icon
          look="quiet"
          aria-label={`${t.deleteWord}: ${visible(artifact.name)}`}
          onClick={() => setSure(true)}
        >
          <Trash2 size={15} aria-hidden="true" />
        </Button>
      )}
    </li>
  );
}

export function ResultList() {
  const { text: t } = useLanguage();
  const [items, setItems] = useState<readonly Artifact[] | null>(null);
  const [more, setMore] = useState(false);
  const [failed, setFailed] = useState(false);

  const fail = (reason: unknown) => {
    problemOf(reason);
    setFailed(true);
  };
  const load = (before?: string) =>
    getArtifacts(before).then((page) => {
      setItems((known) => [...(before === undefined ? [] : (known ?? [])), ...page.items]);
      setMore(page.more);
    }, fail);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the list is opened
  useEffect(() => void load(), []);

  return (
    <div className={css.results}>
      {failed && (
        <p className={css.note} role="status">
          {t.errors.internal.title}
        </p>
      )}
      {items?.length === 0 && <p className={css.empty}>{t.noResults}</p>}
      <ul>
        {(items ?? []).map((artifact) => (
          <Result
            key={artifact.id}
            artifact={artifact}
            changed={(done) =>
              setItems((known) => (known ?? []).map((one) => (one.id === done.id ? done : one)))
            }
            deleted={() => setItems((known) => (known ?? []).filter((one) => one.id !== artifact.id))}
            failed={fail}
          />
        ))}
      </ul>
      {more && (
        <div className={css.more}>
          <Button onClick={() => void load(items?.at(-1)?.id)}>{t.showMore}</Button>
        </div>
      )}
    </div>
  );
}
