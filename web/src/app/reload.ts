/**
 * After a deployment a page that is still open asks for parts that are gone. One reload gets the new page;
 * drafts and unsent messages are stored, so nothing is lost. It is not tried again at once, lest it loop.
 */
const MARK = "berth.reloaded";
const AGAIN_AFTER_MS = 60_000;

export function reloadOnOldAssets(): void {
  window.addEventListener("vite:preloadError", (event) => {
    const last = Number(sessionStorage.getItem(MARK) ?? 0);
    if (Date.now() - last < AGAIN_AFTER_MS) return;
    event.preventDefault();
    sessionStorage.setItem(MARK, String(Date.now()));
    location.reload();
  });
}
