/**
 * What is in the computer, and what it handed over, from all threads. Looking wakes nothing; what changes something waits
 * until the computer runs, and says so.
 */

import { Upload } from "lucide-react";
import { type DragEvent, lazy, useRef, useState } from "react";
import { insert } from "../app/composing.ts";
import { useLacks, useMay } from "../app/rights.ts";
import { Problem } from "../cards/Problem.tsx";
import type { Computer, FolderEntry } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import type { FileActions, FileWriting } from "../thread/FileRows.tsx";
import files from "../thread/FilesDialog.module.css";
import { FolderTree, useFiles } from "../thread/FolderTree.tsx";
import { ResultList } from "../thread/ResultList.tsx";
import { Button } from "../ui/Button.tsx";
import { LazyPart } from "../ui/LazyPart.tsx";
import css from "./ComputerView.module.css";
import FileView from "./FileView.tsx";
import { folderOf, mention } from "./file-places.ts";
import type { Panel } from "./panel-address.ts";
import { usePutting } from "./use-putting.ts";

const DIALOGS = {
  rename: lazy(() => import("./RenameFileDialog.tsx")),
  remove: lazy(() => import("./RemoveFileDialog.tsx")),
};

interface FilesTabProps {
  computer: Computer;
  threadId: string;
  panel: Panel;
}

interface Asking {
  readonly kind: keyof typeof DIALOGS;
  readonly path: string;
  readonly folder: boolean;
}

const holdsFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");

export default function FilesTab({ computer, threadId, panel }: FilesTabProps) {
  const t = useText();
  const [shown, setShown] = useState<"files" | "results">("files");
  const [asking, setAsking] = useState<Asking | null>(null);
  /** Counts what was changed here: the folders are looked at again. */
  const [changes, setChanges] = useState(0);
  const picker = useRef<HTMLInputElement>(null);
  const path = panel.place.get("path") ?? "";
  const file = panel.place.get("file");
  const runs = computer.state === "running";
  const busy = (computer.commands ?? []).length > 0;
  const changed = () => setChanges((before) => before + 1);
  const tree = useFiles(path, computer, changes);
  const [from, setFrom] = useState<string | null>(null);
  const putting = usePutting(path, changed);
  const may = useMay("chat");
  const puts = runs && may;
  const reads = useLacks("chat");

  const go = (to: string) => panel.show("files", to === "" ? {} : { path: to });
  const write: FileWriting = {
    ask(one) {
      insert(threadId, mention(one));
      if (!panel.wide) panel.close();
    },
    rename: (one, entry: FolderEntry) =>
      setAsking({ kind: "rename", path: one, folder: entry.kind === "folder" }),
    remove: (one, entry: FolderEntry) =>
      setAsking({ kind: "remove", path: one, folder: entry.kind === "folder" }),
  };
  const actions: FileActions = {
    open: (one) => panel.show("files", { ...(path === "" ? {} : { path }), file: one }),
    write: may ? write : null,
  };
  if (file !== null) {
    return (
      <FileView
        key={`${file} ${computer.state}`}
        path={file}
        runs={runs}
        back={() => {
          setFrom(file);
          go(path);
        }}
        ask={may ? () => write.ask(file) : null}
      />
    );
  }
  const Asking = asking === null ? null : DIALOGS[asking.kind];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the upload button does the same for everybody
    <div
      className={css.files}
      onDragOver={(event) => puts && holdsFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!puts || !holdsFiles(event)) return;
        event.preventDefault();
        putting.put([...event.dataTransfer.files], busy);
      }}
    >
      <div className={`${files.choice} ${css.bar}`}>
        <Button look="quiet" aria-pressed={shown === "files"} onClick={() => setShown("files")}>
          {t.inComputer}
        </Button>
        <Button look="quiet" aria-pressed={shown === "results"} onClick={() => setShown("results")}>
          {t.results}
        </Button>
        {shown === "files" && may && (
          <>
            <span className={css.rest} />
            <Button
              look="quiet"
              disabled={!runs || putting.left > 0}
              title={runs ? t.uploadHere : t.changesWait}
              onClick={() => picker.current?.click()}
            >
              <Upload size={15} aria-hidden="true" />
              {putting.left > 0 ? t.uploadingHere(putting.left) : t.uploadHere}
            </Button>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              data-picker="computer"
              onChange={(event) => {
                putting.put([...(event.target.files ?? [])], busy);
                event.target.value = "";
              }}
            />
          </>
        )}
      </div>
      {putting.problem !== null && (
        <Problem problem={putting.problem}>
          <Button onClick={putting.dismiss}>{t.close}</Button>
        </Problem>
      )}
      {shown === "files" ? (
        <>
          {may && !runs && <p className={files.note}>{t.changesWait}</p>}
          {reads && <p className={files.note}>{t.members.readsFiles}</p>}
          <FolderTree files={tree} path={path} go={go} from={from} actions={actions} />
        </>
      ) : (
        <ResultList />
      )}
      {Asking !== null && asking !== null && (
        <LazyPart close={() => setAsking(null)}>
          <Asking
            path={asking.path}
            folder={asking.folder}
            busy={busy}
            close={() => setAsking(null)}
            done={() => {
              setAsking(null);
              changed();
              // The folder that is looked at is not there any more.
              if (path === asking.path || path.startsWith(`${asking.path}/`)) go(folderOf(asking.path));
            }}
          />
        </LazyPart>
      )}
    </div>
  );
}
