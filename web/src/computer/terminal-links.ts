/**
 * Which addresses in a terminal lead anywhere. What a computer prints is not to be believed: a link is what it says in
 * plain sight, over http or https, and opens in a page that knows nothing of this one.
 */
export function openable(text: string): string | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  const web = url.protocol === "https:" || url.protocol === "http:";
  // `https://bank.example@elsewhere.example` leads elsewhere than it seems to.
  const plain = url.username === "" && url.password === "";
  return web && plain ? url.href : null;
}

export function openLink(_event: MouseEvent, text: string): void {
  const url = openable(text);
  if (url !== null) window.open(url, "_blank", "noopener,noreferrer");
}
