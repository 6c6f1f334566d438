/**
 * The way to whoever holds the page, and what they may ask of it.
 *
 * In a frame that is the parent, if its origin is one of those that the deployment allows: the document names them.
 * In a native app it is the object `berthShell`, which only the app itself can put into the page. No message is sent
 * to an origin that is not known to be allowed, and none is heard from any other window.
 */
import { preferences } from "../app/preferences.ts";
import { keepShared } from "../share/shared.ts";
import { type Insets, type Order, PROTOCOL, type Report, readOrder } from "./messages.ts";
import { embedding } from "./mode.ts";

/** As Android's WebViewCompat makes it; docs/embedding.md has the same for the others. */
interface Shell {
  postMessage(text: string): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
}

declare global {
  interface Window {
    berthShell?: Shell;
  }
}

let send: (report: Report) => void = () => undefined;

/** Tells the host, where there is one that may know. */
export const tellHost = (report: Report): void => send(report);

function showInsets(insets: Insets): void {
  for (const [side, size] of Object.entries(insets))
    document.documentElement.style.setProperty(`--inset-${side}`, `${size}px`);
}

/** Closes what lies above the page, as the back button of a phone does. */
function goBack(): void {
  const above = document.querySelector("[role=dialog], [role=menu]");
  const handled = above !== null;
  if (handled) {
    const press = new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true });
    (above.contains(document.activeElement) ? document.activeElement : above)?.dispatchEvent(press);
  }
  tellHost({ type: "back", handled });
}

function obey(order: Order, navigate: (path: string) => void): void {
  switch (order.type) {
    // What the person chose for themselves in this browser stays as it is.
    case "theme":
      return preferences.setState({ theme: order.theme });
    case "locale":
      return preferences.setState({ locale: order.locale, localeChosen: true });
    case "insets":
      return showInsets(order.insets);
    case "open":
      return navigate(order.path);
    case "share":
      return void keepShared(order.text).then(() => navigate("/share"));
    case "back":
      return goBack();
  }
}

/** The origins that the deployment lets frame this view. */
const allowedOrigins = (): string[] =>
  document.querySelector<HTMLMetaElement>("meta[name=berth-embed]")?.content.split(" ").filter(Boolean) ?? [];

/** The parent's origin where the browser tells it, which Firefox does by the referrer alone. */
function parentOrigin(): string | null {
  const [parent] = Array.from(location.ancestorOrigins ?? []);
  if (parent !== undefined) return parent;
  return document.referrer === "" ? null : new URL(document.referrer).origin;
}

function connectParent(take: (data: unknown) => void): void {
  const allowed = allowedOrigins();
  let origin = allowed.find((one) => one === parentOrigin()) ?? null;
  const waiting: Report[] = [];
  send = (report) => {
    if (origin === null) waiting.push(report);
    else window.parent.postMessage({ berth: PROTOCOL, ...report }, origin);
  };
  window.addEventListener("message", (event) => {
    if (event.source !== window.parent || !allowed.includes(event.origin)) return;
    origin = event.origin;
    for (const report of waiting.splice(0)) send(report);
    take(event.data);
  });
}

function connectShell(shell: Shell, take: (data: unknown) => void): void {
  send = (report) => shell.postMessage(JSON.stringify({ berth: PROTOCOL, ...report }));
  shell.addEventListener("message", ({ data }) => take(data));
  watchPlace();
}

/** Tells the app where the page is and what it is called, for its own bar. */
function watchPlace(): void {
  let told = "";
  const tell = () => {
    const place = { path: location.pathname, title: document.title };
    if (told === JSON.stringify(place)) return;
    told = JSON.stringify(place);
    tellHost({ type: "path", ...place });
  };
  new MutationObserver(tell).observe(document.head, { subtree: true, childList: true, characterData: true });
  for (const moved of ["popstate", "pushState", "replaceState"]) window.addEventListener(moved, tell);
}

/** `navigate` goes to an address of the page. Does nothing for a page that nobody holds. */
export function connectHost(navigate: (path: string) => void): void {
  if (embedding === "none") return;
  document.documentElement.dataset.embed = embedding;
  const take = (data: unknown) => {
    const order = readOrder(data, embedding);
    if (order !== null) obey(order, navigate);
  };
  if (embedding === "frame" && window.parent !== window) connectParent(take);
  if (embedding === "app" && window.berthShell !== undefined) connectShell(window.berthShell, take);
  tellHost({ type: "ready", mode: embedding, path: location.pathname });
}
