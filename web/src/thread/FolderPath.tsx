/** Where one is in the computer, and the way back up. The end is in view, however deep it is. */
import { ChevronRight } from "lucide-react";
import { useEffect, useRef } from "react";
import { useText } from "../i18n/text.ts";
import { visible } from "../ui/format.ts";
import css from "./FilesDialog.module.css";

export function FolderPath({ path, go }: { path: string; go: (path: string) => void }) {
  const t = useText();
  const end = useRef<HTMLElement>(null);
  const parts = path === "" ? [] : path.split("/");
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is the reason to move
  useEffect(() => {
    if (end.current !== null) end.current.scrollLeft = end.current.scrollWidth;
  }, [path]);
  return (
    <nav ref={end} className={css.path} aria-label={t.folder}>
      {["workspace", ...parts].map((part, index) => {
        const upTo = parts.slice(0, index).join("/");
        return (
          <span key={upTo} className={css.step}>
            {index > 0 && <ChevronRight size={14} aria-hidden="true" />}
            <button
              type="button"
              className={css.crumb}
              title={visible(part)}
              aria-current={index === parts.length ? "location" : undefined}
              onClick={() => go(upTo)}
            >
              <bdi>{visible(part)}</bdi>
            </button>
          </span>
        );
      })}
    </nav>
  );
}
