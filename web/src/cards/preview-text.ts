/** Reads the beginning of a file, and no more of it than a preview shows. */
import { ApiError, problemFrom } from "../api/http.ts";

const PREVIEW_BYTES = 256 * 1024;

export interface Beginning {
  readonly text: string;
  readonly cut: boolean;
}

export async function readBeginning(address: string, signal: AbortSignal): Promise<Beginning> {
  const response = await fetch(address, { signal });
  if (!response.ok || response.body === null) {
    throw new ApiError(response.status, problemFrom(response.status, null));
  }
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let [text, read] = ["", 0];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
    read += part.value.length;
    if (read < PREVIEW_BYTES) continue;
    await reader.cancel();
    return { text: text.slice(0, text.lastIndexOf("\n") + 1) || text, cut: true };
  }
  return { text: text + decoder.decode(), cut: false };
}
