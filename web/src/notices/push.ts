/** What this browser can do about notices, and its subscription to them. */
import { WORKER } from "../app/service-worker.ts";
import type { Notices, SubscriptionCreate } from "../contracts.ts";

/** Why it cannot be subscribed, or whether it is. */
export type PushStanding = "insecure" | "unsupported" | "noKey" | "noSecrets" | "denied" | "off" | "on";

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (one) => one.charCodeAt(0));
}

function textOf(bytes: ArrayBuffer | null | undefined): string {
  const plain = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0)));
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The id of the place that the server keeps for a subscription. */
export async function placeOf(endpoint: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint));
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0"));
  return `sub_${hex.slice(0, 16).join("")}`;
}

async function subscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(WORKER);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Why notices cannot come here, whatever is clicked; null where they can. */
function hindrance(notices: Notices): PushStanding | null {
  if (!window.isSecureContext) return "insecure";
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window))
    return "unsupported";
  if (notices.push_key === null) return "noKey";
  if (!notices.keeps_secrets) return "noSecrets";
  return Notification.permission === "denied" ? "denied" : null;
}

/** How it stands here, and the id of this browser's own place where it has one. */
export async function standingOf(notices: Notices): Promise<{ standing: PushStanding; own: string | null }> {
  const hindered = hindrance(notices);
  if (hindered !== null) return { standing: hindered, own: null };
  const kept = await subscription();
  const own = kept === null ? null : await placeOf(kept.endpoint);
  const known = notices.places.some((place) => place.id === own);
  return { standing: known ? "on" : "off", own: known ? own : null };
}

/** A word for this browser by which its person tells it from their others. */
function nameOf(agent: string): string {
  const browsers = [
    [/Edg\//, "Edge"],
    [/OPR\//, "Opera"],
    [/Firefox\//, "Firefox"],
    [/Chrom(e|ium)\//, "Chrome"],
    [/Safari\//, "Safari"],
  ] as const;
  const systems = [
    [/Android/, "Android"],
    [/iPhone|iPad/, "iOS"],
    [/Windows/, "Windows"],
    [/Mac OS X/, "macOS"],
    [/Linux/, "Linux"],
  ] as const;
  const found = [browsers, systems].flatMap(
    (names) => names.find(([pattern]) => pattern.test(agent))?.[1] ?? [],
  );
  return found.join(", ");
}

/** Asks for permission and subscribes; null where the person has not given it. Call it upon a click only. */
export async function subscribe(key: string): Promise<SubscriptionCreate | null> {
  if ((await Notification.requestPermission()) !== "granted") return null;
  await navigator.serviceWorker.register(WORKER, { updateViaCache: "none" });
  const { pushManager } = await navigator.serviceWorker.ready;
  const before = await pushManager.getSubscription();
  // A subscription is for one key; the server's may have been replaced.
  if (before !== null && textOf(before.options.applicationServerKey) !== key) await before.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) });
  const { endpoint, keys } = made.toJSON();
  return {
    endpoint: endpoint ?? "",
    keys: { p256dh: keys?.p256dh ?? "", auth: keys?.auth ?? "" },
    shown: nameOf(navigator.userAgent),
  };
}

export async function unsubscribe(): Promise<void> {
  await (await subscription())?.unsubscribe();
}
