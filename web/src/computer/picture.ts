/** A picture of the computer as an address of this page alone: its bytes come as an attachment, which shows nothing. */
import { ApiError, problemFrom } from "../api/http.ts";

const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
};

export async function readPicture(address: string, name: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(address, { signal });
  if (!response.ok) throw new ApiError(response.status, problemFrom(response.status, null));
  const type = TYPES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? "";
  return URL.createObjectURL(new Blob([await response.arrayBuffer()], { type }));
}
