/**
 * After a deployment a page that is still open asks for parts that are gone. One reload gets the new page;
 * drafts and unsent messages are stored, so nothing is lost. It is not tried again at once, lest it loop.
 */
const MARK = "berth.reloaded";
const AGAIN_AFTER_MS = 60_000;

/** Says whether it reloads: not twice in a minute. */
export function reloadOnce(): boolean {
  const last = Number(sessionStorage.getItem(MARK) ?? 0);
  if (Date.now() - last < AGAIN_AFTER_MS) return false;
  sessionStorage.setItem(MARK, String(Date.now()));
  location.reload();
  return true;
}

/** `newer`: whether the server has another page by now. Where it is only down, a reload would lose what is open. */
export function reloadOnOldAssets(newer: () => Promise<boolean>): void {
  window.addEventListener("vite:preloadError", () => void newer().then((is) => is && reloadOnce()));
}
