/**
 * Shows the notices that are pushed to this browser, and opens what they are about; takes what other apps share;
 * and keeps the page itself for when the server cannot be reached.
 *
 * The page always comes from the server where that answers, so an old one never meets a new server unseen: what is
 * kept is given only when nothing else is to be had, and says so (`data-kept`). It is kept with the parts it names
 * or not at all. `SHELL` is put before this file by the build (scripts/shell.ts); nothing of the API is ever kept.
 */

const KEPT = "berth-shell-";
const CACHE = KEPT + SHELL.version;
const SHARED = "berth-shared";
const SHARED_FILES_MAX = 20;

/** What a document names of its own parts: this tells one build of the page from another. */
const partsOf = (html) => [...new Set(html.match(/\/assets\/[\w.-]+/g))].sort().join(" ");

async function keepPage(cache) {
  const answer = await fetch("/", { cache: "reload" });
  const html = await answer.text();
  // A deployment may happen between this script and the page: then the next one keeps both.
  if (!answer.ok || partsOf(html) !== SHELL.parts) throw new Error("the page is of another build");
  const headers = new Headers(answer.headers);
  headers.delete("Content-Encoding");
  headers.delete("Content-Length");
  await cache.put("/", new Response(html, { headers }));
}

async function keepShell() {
  const cache = await caches.open(CACHE);
  await cache.addAll(SHELL.files);
  await keepPage(cache);
  await self.skipWaiting();
}

async function forgetOthers() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(KEPT) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

async function keptPage() {
  const answer = await (await caches.open(CACHE)).match("/");
  if (answer === undefined) return undefined;
  const html = (await answer.text()).replace("<html", "<html data-kept");
  return new Response(html, { headers: answer.headers });
}

/** The server's page; the kept one where the server cannot be reached or does not stand. */
async function givePage(event) {
  let answer = Response.error();
  try {
    answer = (await event.preloadResponse) ?? (await fetch(event.request));
    if (answer.status < 500) return answer;
  } catch {
    // No network: what is kept is said to be kept.
  }
  return (await keptPage()) ?? answer;
}

/** Keeps what was shared until the person says into which thread it goes; the newest takes the place of an older. */
async function takeShared(request) {
  try {
    const form = await request.formData();
    await caches.delete(SHARED);
    const cache = await caches.open(SHARED);
    const texts = ["title", "text", "url"].map((name) => form.get(name));
    const said = texts.filter((text) => typeof text === "string" && text !== "");
    await cache.put("/shared/text", new Response([...new Set(said)].join("\n")));
    const files = form.getAll("files").filter((file) => typeof file !== "string");
    for (const [place, file] of files.slice(0, SHARED_FILES_MAX).entries()) {
      const headers = { "Content-Type": file.type, "X-Name": encodeURIComponent(file.name) };
      await cache.put(`/shared/files/${place}`, new Response(file, { headers }));
    }
    return Response.redirect(files.length > SHARED_FILES_MAX ? "/share?lost=some" : "/share", 303);
  } catch {
    // Too large for this browser, or no form at all.
    await caches.delete(SHARED);
    return Response.redirect("/share?lost=all", 303);
  }
}

/** The API, its files, pages in frames and single files by their names are none of the page's addresses. */
const NOT_THE_PAGE = /^\/(api|embed|swagger|assets)\/|\.[^/]*$/;

function answerTo(event) {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin) return undefined;
  if (request.method === "POST" && request.mode === "navigate" && url.pathname === "/share")
    return takeShared(request);
  if (request.method !== "GET") return undefined;
  if (request.mode === "navigate") return NOT_THE_PAGE.test(url.pathname) ? undefined : givePage(event);
  // Named by what is in them: what is kept is what the server has.
  if (SHELL.files.includes(url.pathname) && url.pathname.startsWith("/assets/"))
    return caches.match(request, { cacheName: CACHE }).then((kept) => kept ?? fetch(request));
  // Named alike in every build: the server's comes first, as the page does.
  if (SHELL.files.includes(url.pathname))
    return fetch(request).catch(
      async () => (await caches.match(request, { cacheName: CACHE })) ?? Response.error(),
    );
  return undefined;
}

self.addEventListener("fetch", (event) => {
  const answer = answerTo(event);
  if (answer !== undefined) event.respondWith(answer);
});

/** A message that cannot be read is shown all the same: a browser wants something to be seen for each push. */
function read(data) {
  try {
    const { id, title, body, path } = data.json();
    if ([id, title, body, path].every((one) => typeof one === "string")) return { id, title, body, path };
  } catch {
    // Not JSON, or nothing at all.
  }
  return { id: "unreadable", title: "Berth", body: "", path: "/" };
}

/** The address of a path of this page; anything else leads to its beginning. */
function addressOf(path) {
  const address = new URL(path, self.location.origin);
  return address.origin === self.location.origin ? address.href : `${self.location.origin}/`;
}

self.addEventListener("install", (event) => event.waitUntil(keepShell()));
self.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));

self.addEventListener("push", (event) => {
  const { id, title, body, path } = read(event.data);
  // The same notice again takes the place of the one that is shown.
  const options = { body, tag: id, icon: "/icon.svg", data: { path } };
  event.waitUntil(self.registration.showNotification(title, options));
});

async function open(path) {
  const address = addressOf(path);
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = windows.find((one) => one.url === address);
  return there === undefined ? self.clients.openWindow(address) : there.focus();
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.path ?? "/"));
});

/** A browser may change its address by itself: then it is told of, or nothing would come any more. */
async function renew(event) {
  const key = event.oldSubscription?.options.applicationServerKey;
  if (!key) return;
  const options = { userVisibleOnly: true, applicationServerKey: key };
  const subscription = event.newSubscription ?? (await self.registration.pushManager.subscribe(options));
  const { endpoint, keys } = subscription.toJSON();
  await fetch("/api/notices/subscriptions", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ endpoint, keys }),
  });
}

self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));
