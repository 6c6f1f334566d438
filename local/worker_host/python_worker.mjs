// The Worker that hosts a Python Worker: JavaScript classes whose calls run on Python objects.
//
// A Durable Object's Python instance lives as long as its JavaScript one; an entrypoint's is made for each event.
// Everything goes through two functions of `bridge.py`, called with plain arguments, so that one event makes no
// proxies beyond the ones it needs. Read `pyodide_boot.mjs` for how Python starts.

import * as cloudflareSockets from "cloudflare:sockets";
import * as cloudflareWorkers from "cloudflare:workers";
import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
import { BUNDLE_DIR, bootPyodide, HOST_DIR, PACKAGES_DIR } from "./pyodide_boot.mjs";

// workerd asks an object for these on its own account; they never name a method of ours.
const NOT_METHODS = new Set(["then", "catch", "finally", "dup", "toJSON", "constructor"]);

// Imported before the snapshot is taken: what every Worker in Python is likely to need, and costly to import.
const PRELOADED = ["asgi", "asyncio", "fastapi", "httpx", "json", "logging", "pydantic", "workers"];

// What a snapshot is to be made of: "packages", "bundle", or nothing.
let making = null;
// The module whose classes are exported.
let entry;
// Where tests may ask for faults: the exports of faults.mjs.
let faults = null;
let booting;
let bridge;

/** Set by the entry module, before anything runs. */
export function configure(options) {
  ({ entry, making, faults } = options);
}

const jsModules = {
  _pyodide_entrypoint_helper: {
    cloudflareWorkersModule: {
      ...cloudflareWorkers,
      waitUntil: patchedWaitUntil(cloudflareWorkers.waitUntil),
    },
    cloudflareSocketsModule: cloudflareSockets,
    doAnImport: (name) => import(name),
    patchWaitUntil,
    patch_env_helper() {},
  },
  _cloudflare_compat_flags: { ...globalThis.Cloudflare?.compatibilityFlags },
};

/** Reads the files that the host has bound to this Worker, all at once. */
async function readFiles(env) {
  const read = async ([binding, name]) => {
    const response = await env[binding].fetch(`http://file/${name}`);
    if (!response.ok) throw new Error(`${name} cannot be read: ${response.status}`);
    return [binding, await response.arrayBuffer()];
  };
  return Object.fromEntries(await Promise.all(Object.entries(env.HOST_FILE_NAMES).map(read)));
}

async function bootPackages(env) {
  const files = await readFiles(env);
  const booted = await bootPyodide({
    unsafeEval: env.UNSAFE_EVAL,
    stdlib: files.HOST_STDLIB,
    lock: files.HOST_LOCK,
    trees: [
      [PACKAGES_DIR, files.HOST_PACKAGES],
      [BUNDLE_DIR, files.HOST_BUNDLE],
      [HOST_DIR, files.HOST_PYTHON],
    ],
    jsModules,
    snapshot: files.HOST_SNAPSHOT,
    making,
  });
  if (!files.HOST_SNAPSHOT) booted.python.runPython(PREPARE);
  return booted;
}

const PREPARE = `
import importlib, importlib.util, sys
from site import addsitedir
sys.path.insert(0, "${PACKAGES_DIR}")
addsitedir("${PACKAGES_DIR}")
for name in ${JSON.stringify(PRELOADED)}:
    if importlib.util.find_spec(name):
        importlib.import_module(name)
`;

// A restored interpreter must not trust what it knew of the disk, nor repeat the last one's random numbers.
const ENTER = `
import importlib, random, sys
if "${BUNDLE_DIR}" not in sys.path:
    sys.path.insert(0, "${BUNDLE_DIR}")
    sys.path.append("${HOST_DIR}")
importlib.invalidate_caches()
random.seed()
`;

/** Boots as far as the snapshot is to reach; returns its bytes. */
async function makeSnapshot(env) {
  const { python, snapshot } = await bootPackages(env);
  if (making === "bundle") python.runPython(`${ENTER}\nimport bridge\nimport ${entry}`);
  return snapshot();
}

async function start(env) {
  const { python } = await bootPackages(env);
  python.runPython(ENTER);
  const module = python.pyimport("bridge");
  const classes = module.load(entry, faults ? faults.faultyBindings(env) : env);
  bridge = { call: module.call, construct: module.construct, serve: module.serve, python, classes };
  return bridge;
}

// One boot, whoever asks first; after it `bridge` is there and nothing has to be waited for.
const boot = (env) => {
  booting ??= start(env);
  return booting;
};

/** Lets Python pass a task or coroutine to `waitUntil`: the proxy is kept until it is done, then let go. */
function patchedWaitUntil(waitUntil) {
  return (awaitable) => {
    const kept = "copy" in awaitable ? awaitable.copy() : awaitable;
    waitUntil(
      (async () => {
        try {
          await kept;
        } finally {
          if ("destroy" in kept) kept.destroy();
        }
      })(),
    );
  };
}

function patchWaitUntil(ctx) {
  if (Object.prototype.toString.call(ctx) !== "[object ExecutionContext]" || Object.hasOwn(ctx, "waitUntil"))
    return;
  ctx.waitUntil = patchedWaitUntil(ctx.waitUntil.bind(ctx));
}

const methodTrap = (invoke) => ({
  get(target, property, receiver) {
    if (typeof property !== "string" || NOT_METHODS.has(property) || property in Object.prototype)
      return Reflect.get(target, property, receiver);
    return (...args) => invoke(property, args);
  },
});

/** A Durable Object class whose objects are instances of the Python class of that name. */
export function durableObject(name, methods) {
  const Wrapper = class extends DurableObject {
    constructor(ctx, env) {
      super(ctx, env);
      if (faults) faults.withFaults(name, ctx);
      let instance = bridge?.construct(name, ctx);
      const ready = instance ? undefined : boot(env).then(() => (instance = bridge.construct(name, ctx)));
      ready?.catch(() => {}); // the call that waits for it reports it
      const call = (method, args) =>
        instance
          ? bridge.call(instance, method, ...args)
          : ready.then(() => bridge.call(instance, method, ...args));
      const invoke = faults
        ? (method, args) => faults.called(name, ctx, method, (real) => call(real, args))
        : call;
      // biome-ignore lint/correctness/noConstructorReturn: the methods are known only to the Python class
      return new Proxy(this, methodTrap(invoke));
    }
  };
  return declare(Wrapper, faults ? [...methods, ...faults.METHODS] : methods);
}

/** An entrypoint class whose events are handled by the Python class of that name. */
export function entrypoint(name, methods) {
  const Wrapper = class extends WorkerEntrypoint {
    constructor(ctx, env) {
      super(ctx, env);
      const invoke = (method, args) =>
        bridge
          ? bridge.serve(name, ctx, method, ...args)
          : boot(env).then(() => bridge.serve(name, ctx, method, ...args));
      // biome-ignore lint/correctness/noConstructorReturn: the methods are known only to the Python class
      return new Proxy(this, methodTrap(invoke));
    }
  };
  return declare(Wrapper, methods);
}

/**
 * The entrypoint of the served port, as on Cloudflare: assets first, except for the paths that are the
 * Worker's own and for what no asset is. A navigation always finds the page.
 */
export function served(name, assets) {
  const workerFirst = assets?.workerFirst.map(
    (glob) => new RegExp(`^${glob.split("*").map(RegExp.escape).join(".*")}$`),
  );
  const isAsset = async ({ url, headers, method }, env) =>
    assets &&
    env[assets.binding] &&
    !workerFirst.some((path) => path.test(new URL(url).pathname)) &&
    (await env[assets.binding].unstable_canFetch(new Request(url, { headers, method })));
  return class extends WorkerEntrypoint {
    async fetch(request) {
      const { ctx, env } = this;
      if (await isAsset(request, env)) return env[assets.binding].fetch(request);
      if (!bridge) await boot(env);
      return bridge.serve(name, ctx, "fetch", request);
    }
  };
}

/** workerd looks at the prototype for what a class handles; the calls themselves go through the trap. */
function declare(Wrapper, methods) {
  for (const method of methods) Wrapper.prototype[method] ??= () => {};
  return Wrapper;
}

/** What the host asks of its Worker. Nothing of it can be reached from the served port. */
export class Control extends WorkerEntrypoint {
  async fetch(request) {
    try {
      const order = await request.text();
      if (faults && order) return Response.json(await faults.obey(JSON.parse(order), this.env));
      if (making) return new Response(await makeSnapshot(this.env));
      const { python, classes } = await boot(this.env);
      return Response.json({ classes, heapBytes: python._module.HEAP8.length });
    } catch (error) {
      return Response.json({ error: String(error.stack ?? error) }, { status: 500 });
    }
  }
}
