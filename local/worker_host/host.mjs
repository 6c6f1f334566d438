// Runs a Python Worker on one machine: `node host.mjs CONFIG.json`.
//
// Standard output is a protocol, one JSON object a line: {"progress"}, {"ready"}, {"reloaded"}, {"failed"}, and
// {"heap_bytes"} in answer to SIGUSR2.
// Everything the Worker says goes to standard error. The host stops on SIGTERM and SIGINT, and when its standard
// input ends, so that it never outlives whoever started it.

import { readFileSync, statSync, watch } from "node:fs";
import { createRequire, enableCompileCache } from "node:module";
import { basename, dirname, join } from "node:path";
import { classCache } from "./classes.mjs";
import { logWriter } from "./log.mjs";
import { miniflareOptions, withoutState } from "./options.mjs";
import { takeOrders } from "./orders.mjs";
import { snapshotCache } from "./snapshot_cache.mjs";

const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
// Miniflare is megabytes of source, and compiling it anew would be a third of the start.
enableCompileCache(join(config.cache, "node"));
const require = createRequire(import.meta.url);
// The miniflare that wrangler was released with, and no other.
const { Log, LogLevel, Miniflare, convertV4MiniflareOptions } = createRequire(
  require.resolve("wrangler/package.json"),
)("miniflare");

// V8 begins WebAssembly in its quick compiler and moves a function to the good one after a budget that suits
// small modules. Python's interpreter is one large loop: with a smaller budget a message costs a third
// less of the processor, and the start costs the same.
process.env.MINIFLARE_WORKERD_V8_FLAGS ??= "--wasm-tiering-budget=1000000";

// Long enough for an editor or a build to finish writing, short enough not to be noticed.
const SETTLE_MS = 60;
// After this much quiet nobody is in the middle of editing.
const REST_MS = 5000;
// What Pyodide says when WebAssembly's stack or memory has come to its end.
const INTERPRETER_DIED = "Pyodide has suffered a fatal error";
const NO_CLASSES = { durableObjects: {}, entrypoints: { Default: [] } };

// Standard output is the protocol's.
class ErrorLog extends Log {
  log(message) {
    process.stderr.write(`${message}\n`);
  }
}

const report = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const log = logWriter(config);
const cache = classCache(config);
const snapshots = snapshotCache(config, (parts) => makeSnapshot(parts));

let miniflare;
let classes = cache.read();
let stopping = false;
let reviving = false;
// Starts of workerd, one after the other.
let turn = Promise.resolve();
let preparing;

const options = (config, parts) => ({
  ...convertV4MiniflareOptions(miniflareOptions(config, parts)),
  log: new ErrorLog(config.log_level === "debug" ? LogLevel.DEBUG : LogLevel.WARN),
  handleStructuredLogs: (entry) => {
    if (orders?.heard(entry.message)) return;
    log(entry);
    if (entry.message.includes(INTERPRETER_DIED)) revive();
  },
  unsafeHandleRuntimeRestart: async () => {
    await bootPython();
    orders?.restarted();
    report({ restarted: true });
  },
});

async function ask(miniflare, order) {
  const control = await miniflare.getWorker("control");
  const body = order && JSON.stringify(order);
  const response = await control.fetch("http://control/", { method: "POST", body });
  if (!response.ok) throw new Error((await response.json()).error);
  return response;
}

/** Has the Worker start its interpreter; returns what it found there. */
const bootPython = async () => (await ask(miniflare)).json();

/** Boots an interpreter without the Worker, for its memory. */
async function makeSnapshot(parts) {
  if (parts.making === "packages") report({ progress: "preparing Python, once for these packages" });
  const maker = new Miniflare(options(withoutState(config), { classes: NO_CLASSES, ...parts }));
  try {
    await maker.ready;
    return Buffer.from(await (await ask(maker)).arrayBuffer());
  } finally {
    await maker.dispose();
  }
}

/** Where sources are watched, the present version is likely to be started again: that start is made short. */
function prepareNextStart() {
  clearTimeout(preparing);
  preparing = setTimeout(async () => {
    try {
      await snapshots.bundle();
    } catch (error) {
      // A version that does not import needs none, and has said so already.
      log({ level: "debug", message: `no snapshot of this version: ${error.message}` });
    }
  }, REST_MS);
  preparing.unref();
}

/** Starts or restarts workerd, a second time when the Worker's classes turn out to be others than assumed. */
async function serve(snapshot) {
  report({ progress: "starting workerd" });
  if (miniflare) await miniflare.setOptions(options(config, { classes, snapshot }));
  else miniflare = new Miniflare(options(config, { classes, snapshot }));
  await miniflare.ready;
  const url = await miniflare.unsafeGetDirectURL(config.name, "Served");
  config.port = Number(url.port);
  report({ progress: "starting Python" });
  const found = await bootPython();
  if (JSON.stringify(found.classes) !== JSON.stringify(classes)) {
    classes = found.classes;
    cache.write(classes);
    return serve(snapshot);
  }
  return { url: url.origin, heap_mb: Math.round(found.heapBytes / 2 ** 20) };
}

/** An interpreter that died stays dead in its workerd, and every request would fail: start another. */
function revive() {
  if (reviving || stopping) return;
  reviving = true;
  turn = turn.then(async () => {
    try {
      await serve(await snapshots.best());
      report({ restarted: true });
    } catch (error) {
      log({ level: "error", message: `the Worker could not be started again: ${error.message}` });
    } finally {
      reviving = false;
    }
  });
}

async function reload() {
  try {
    report({ reloaded: true, ...(await serve(await snapshots.best())) });
    prepareNextStart();
  } catch (error) {
    report({ reloaded: false, error: String(error.message ?? error) });
  }
}

/** Reloads when a watched file is another one than before; events that come meanwhile make one more reload. */
function watchFiles(files) {
  const stamp = () => files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs).join();
  let seen = stamp();
  let timer;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const now = stamp();
      if (now === seen || stopping) return;
      seen = now;
      turn = turn.then(reload);
    }, SETTLE_MS);
  };
  for (const file of files) {
    const name = basename(file);
    watch(dirname(file), { persistent: false }, (_event, entry) => entry === name && changed());
  }
}

async function stop(code) {
  if (stopping) return;
  stopping = true;
  await miniflare?.dispose();
  process.exit(code);
}

for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stop(0));
// Asked for its memory while it serves: WebAssembly's only grows, so this is the most that Python ever needed.
process.on("SIGUSR2", async () => {
  try {
    report({ heap_bytes: (await bootPython()).heapBytes });
  } catch (error) {
    report({ failed: String(error.message ?? error) });
  }
});
const orders = config.faults
  ? takeOrders({
      ask: async (order) => (await ask(miniflare, order)).json(),
      report,
    })
  : null;
process.stdin
  .on("end", () => stop(0))
  .on("error", () => stop(0))
  .resume();

try {
  const { url, heap_mb } = await serve(await snapshots.best());
  if (config.watch) {
    watchFiles([config.bundle, config.packages]);
    prepareNextStart();
  }
  report({ ready: true, url, heap_mb, pid: process.pid });
} catch (error) {
  report({ failed: String(error.message ?? error) });
  await stop(1);
}
