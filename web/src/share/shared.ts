/**
 * What another app shared with Berth, as the service worker keeps it until its person says where it goes. It is
 * never sent by itself: any page can post to the address of the share target, so it is a proposal and no more.
 */
export const SHARED = "berth-shared";

const TEXT = "/shared/text";
const FILES = "/shared/files/";

export interface Shared {
  readonly text: string;
  readonly files: readonly File[];
}

async function fileOf(answer: Response): Promise<File> {
  const content = await answer.blob();
  const name = decodeURIComponent(answer.headers.get("X-Name") ?? "") || "file";
  return new File([content], name, { type: content.type });
}

/** Null where nothing waits. */
export async function readShared(): Promise<Shared | null> {
  if (!("caches" in window) || !(await caches.has(SHARED))) return null;
  const cache = await caches.open(SHARED);
  const text = await (await cache.match(TEXT))?.text();
  const kept = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith(FILES));
  const answers = await Promise.all(kept.map((request) => cache.match(request)));
  const files = await Promise.all(answers.filter((one) => one !== undefined).map(fileOf));
  return text === undefined || (text === "" && files.length === 0) ? null : { text, files };
}

/** Keeps a text that the app around the page was given, as the service worker does with what comes by the system. */
export async function keepShared(text: string): Promise<void> {
  await forgetShared();
  await (await caches.open(SHARED)).put(TEXT, new Response(text));
}

export async function forgetShared(): Promise<void> {
  if ("caches" in window) await caches.delete(SHARED);
}
