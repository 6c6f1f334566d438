/** The page's service worker: where it is, and when it is put to work. */

export const WORKER = "/service-worker.js";

/**
 * Puts it to work once the page stands, so that nothing of the first load waits for it. Without it the page lacks
 * nothing but its start without a server and what other apps share, so a failure is not spoken of.
 */
export function startWorker(): void {
  if (!import.meta.env.PROD || !window.isSecureContext || !("serviceWorker" in navigator)) return;
  const start = () =>
    void navigator.serviceWorker.register(WORKER, { updateViaCache: "none" }).catch(() => undefined);
  if (document.readyState === "complete") start();
  else window.addEventListener("load", start, { once: true });
}
