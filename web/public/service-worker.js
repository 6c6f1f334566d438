/**
 * Shows the notices that are pushed to this browser, and opens what they are about. It caches nothing and sees
 * no request of the page.
 */

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

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

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
