// Turns the host's configuration into Miniflare's options.
//
// Two Workers run: the Python Worker, whose socket is the served one, and a small control Worker through which
// this process asks about the first. A test may add a third, through which all that the Worker fetches goes.

import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { bootFiles, workerModules } from "./modules.mjs";

const CONTROL_SOURCE = `export default { fetch: (request, env) => env.PYTHON.fetch(request) };`;

// Stands between the Worker and the world where a test wants to see what leaves: the URL as it was fetched goes
// along in a header, as the request itself goes to another place.
const OUTSIDE_SOURCE = `export default {
  fetch(request, env) {
    const headers = new Headers(request.headers);
    headers.set("x-outside-url", request.url);
    const { method, body } = request;
    return fetch("http://" + env.OUTSIDE + "/", { method, headers, body, redirect: "manual" });
  },
};`;

function outsideWorker({ outside, compatibility_date: compatibilityDate }) {
  if (!outside) return [];
  const bindings = { OUTSIDE: outside };
  return [{ name: "outside", modules: true, script: OUTSIDE_SOURCE, compatibilityDate, bindings }];
}

function durableObjects(config) {
  return Object.fromEntries(
    Object.entries(config.durable_objects).map(([binding, { class_name: className, image }]) => [
      binding,
      { className, useSQLite: true, ...(image ? { container: { imageName: image } } : {}) },
    ]),
  );
}

/** Cloudflare's own asset Worker; which requests go to the Python one first is decided in python_worker.mjs. */
function assets({ assets: declared }) {
  if (!declared || !existsSync(declared.directory)) return {};
  return {
    assets: {
      directory: declared.directory,
      binding: declared.binding,
      routerConfig: { has_user_worker: true },
      assetConfig: { not_found_handling: declared.not_found_handling },
    },
  };
}

function containerEngine({ engine_socket: socket }) {
  if (!socket) return {};
  return {
    containerEngine: {
      localDocker: { socketPath: `unix:${socket}`, containerEgressInterceptorImage: "berth-egress" },
    },
  };
}

const fileNames = (config, parts) =>
  Object.fromEntries(
    Object.entries(bootFiles(config, parts)).map(([binding, file]) => [binding, basename(file)]),
  );

const fileServices = (config, parts) =>
  Object.fromEntries(
    Object.entries(bootFiles(config, parts)).map(([binding, file]) => [
      binding,
      { disk: { path: dirname(file) } },
    ]),
  );

function pythonWorker(config, parts) {
  return {
    name: config.name,
    compatibilityDate: config.compatibility_date,
    // The flags for Python choose Cloudflare's own runtime, which this host stands in for.
    compatibilityFlags: config.compatibility_flags.filter((flag) => !flag.startsWith("python_")),
    unsafeEvalBinding: "UNSAFE_EVAL",
    // Past Miniflare's own front Workers: they cost time and add nothing to a served port.
    unsafeDirectSockets: [{ host: config.host, port: config.port, entrypoint: "Served" }],
    modulesRoot: "/",
    modules: workerModules(config, parts),
    bindings: { ...config.vars, HOST_FILE_NAMES: fileNames(config, parts) },
    serviceBindings: fileServices(config, parts),
    durableObjects: durableObjects(config),
    r2Buckets: config.r2_buckets,
    ratelimits: config.ratelimits,
    ...assets(config),
    ...(config.outside ? { outboundService: "outside" } : {}),
  };
}

/**
 * `parts.classes` are the exported classes, `parts.snapshot` the file that the interpreter starts from, if any, and
 * `parts.making` what it makes a snapshot of instead of serving.
 */
export function miniflareOptions(config, parts) {
  return {
    host: "127.0.0.1",
    port: 0,
    cf: false,
    resourcePersistencePath: config.state,
    ...containerEngine(config),
    workers: [
      {
        name: "control",
        modules: true,
        script: CONTROL_SOURCE,
        compatibilityDate: config.compatibility_date,
        serviceBindings: { PYTHON: { name: config.name, entrypoint: "Control" } },
      },
      pythonWorker(config, parts),
      ...outsideWorker(config),
    ],
  };
}

/** The same Worker with nothing to do but to boot: no objects whose alarms could ring, no state, no port of note. */
export function withoutState(config) {
  return {
    ...config,
    state: undefined,
    port: 0,
    engine_socket: null,
    durable_objects: {},
    r2_buckets: [],
    ratelimits: {},
    assets: null,
    faults: false,
  };
}
