/** Files on their way into a folder of the computer, one after the other. */
import { useCallback, useState } from "react";
import { placeOfFile } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { putFile } from "../api/upload.ts";
import { UPLOAD_BYTES_MAX } from "../app/attachments.ts";
import type { Problem } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { bytes } from "../ui/format.ts";
import { within } from "./file-places.ts";

export interface Putting {
  /** How many are not there yet. */
  readonly left: number;
  readonly problem: Problem | "unreachable" | null;
  readonly put: (files: readonly File[], anyhow: boolean) => void;
  readonly dismiss: () => void;
}

export function usePutting(folder: string, done: () => void): Putting {
  const { text: t } = useLanguage();
  const [left, setLeft] = useState(0);
  const [problem, setProblem] = useState<Problem | "unreachable" | null>(null);

  const put = async (files: readonly File[], anyhow: boolean) => {
    setProblem(null);
    const large = files.find(({ size }) => size > UPLOAD_BYTES_MAX);
    if (large !== undefined) {
      return setProblem({
        code: "upload_too_large",
        message: `${large.name}: ${t.fileTooLarge(bytes(UPLOAD_BYTES_MAX))}`,
      });
    }
    try {
      for (const [index, file] of files.entries()) {
        setLeft(files.length - index);
        await putFile(placeOfFile(within(folder, file.name), anyhow), file);
      }
    } catch (reason) {
      setProblem(problemOf(reason));
    }
    setLeft(0);
    done();
  };

  return {
    left,
    problem,
    put: (files, anyhow) => void put(files, anyhow),
    dismiss: useCallback(() => setProblem(null), []),
  };
}
