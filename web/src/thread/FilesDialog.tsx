/** What is in the computer and what it handed over, from all threads. Looking wakes nothing. */
import { Dialog as Base } from "@base-ui/react/dialog";
import clsx from "clsx";
import { X } from "lucide-react";
import { useState } from "react";
import type { Computer } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import overlay from "../ui/Overlay.module.css";
import css from "./FilesDialog.module.css";
import { FolderTree, useFiles } from "./FolderTree.tsx";
import { ResultList } from "./ResultList.tsx";

export default function FilesDialog({ computer, close }: { computer: Computer; close: () => void }) {
  const t = useText();
  const [path, setPath] = useState("");
  const files = useFiles(path, computer);
  const [tab, setTab] = useState<"files" | "results">("files");
  return (
    <Base.Root open onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className={overlay.shade} />
        <Base.Popup className={clsx(overlay.dialog, css.dialog)}>
          <div className={css.head}>
            <Base.Title className={css.title}>{t.files}</Base.Title>
            <div className={css.choice}>
              <Button look="quiet" aria-pressed={tab === "files"} onClick={() => setTab("files")}>
                {t.inComputer}
              </Button>
              <Button look="quiet" aria-pressed={tab === "results"} onClick={() => setTab("results")}>
                {t.results}
              </Button>
            </div>
            <Button icon look="quiet" aria-label={t.close} onClick={close}>
              <X size={16} aria-hidden="true" />
            </Button>
          </div>
          {tab === "files" ? <FolderTree files={files} path={path} go={setPath} /> : <ResultList />}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
