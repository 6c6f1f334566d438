// Starts Pyodide inside workerd, from the beginning or from a snapshot.
//
// Pyodide's loader expects a browser or Node: it fetches its parts by URL and compiles WebAssembly at run time.
// Here the parts are modules of the Worker, and workerd compiles only through an UnsafeEval binding, so both are
// answered from what is at hand while it loads. Files lie where they lie on Cloudflare: the bundle in
// /session/metadata and the vendored packages in /session/metadata/python_modules.

import wasmModule from "./pyodide.asm.wasm";
import { decodeSnapshot, encodeSnapshot, recordLibraries, replayLibraries } from "./snapshot.mjs";
import { storedFiles } from "./zip.mjs";

export const BUNDLE_DIR = "/session/metadata";
export const PACKAGES_DIR = `${BUNDLE_DIR}/python_modules`;
export const HOST_DIR = "/session/host";

// Never fetched from: only a base from which the loader builds the names of its parts.
const PARTS_URL = "http://pyodide.invalid/";

/** Lets Pyodide compile WebAssembly, which workerd refuses outside of its own binding. */
function allowCompiling(unsafeEval) {
  const compile = (bytes) =>
    unsafeEval.newWasmModule(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes));
  const instantiate = WebAssembly.instantiate.bind(WebAssembly);
  WebAssembly.compile = async (bytes) => compile(bytes);
  WebAssembly.instantiate = async (source, imports) => {
    if (source instanceof WebAssembly.Module) return instantiate(source, imports);
    const module = compile(source);
    return { module, instance: await instantiate(module, imports) };
  };
  WebAssembly.instantiateStreaming = async (response, imports) => {
    await response;
    return { module: wasmModule, instance: await instantiate(wasmModule, imports) };
  };
  // Extension modules such as pydantic_core are compiled with `new WebAssembly.Module(bytes)`.
  WebAssembly.Module = new Proxy(WebAssembly.Module, { construct: (_target, [bytes]) => compile(bytes) });
}

/** Answers the loader's requests for its own parts; returns a function that ends it. */
function serveParts(stdlib) {
  const fetch = globalThis.fetch;
  globalThis.fetch = async (resource, options) => {
    const url = String(resource?.url ?? resource);
    if (!url.startsWith(PARTS_URL)) return fetch(resource, options);
    return new Response(url.endsWith("python_stdlib.zip") ? stdlib : null);
  };
  return () => {
    globalThis.fetch = fetch;
  };
}

/**
 * Returns what takes a line that Python writes. It may not be logged at once: workerd runs waiting microtasks
 * whenever something is logged, and those that enter Python fail while Python is inside a write, without its lock.
 */
const inItsTurn = (log) => (line) => queueMicrotask(() => log(line));

function fillTree(FS, root, archive) {
  const known = new Set();
  for (const [path, bytes] of storedFiles(archive)) {
    const target = `${root}/${path}`;
    const folder = target.slice(0, target.lastIndexOf("/"));
    if (!known.has(folder)) {
      FS.mkdirTree(folder);
      known.add(folder);
    }
    FS.writeFile(target, bytes, { canOwn: true });
  }
}

/**
 * Boots an interpreter. `trees` are `[folder, archive]`; `jsModules` are what Python may import by these names.
 * With `making`, the result's `snapshot()` gives the bytes from which a later boot may start.
 */
export async function bootPyodide({ unsafeEval, stdlib, lock, trees, jsModules, snapshot, making }) {
  allowCompiling(unsafeEval);
  // Without setImmediate Emscripten registers a capturing "message" listener, which workerd refuses.
  globalThis.setImmediate ??= (callback, ...args) => setTimeout(callback, 0, ...args);
  globalThis.location ??= { href: PARTS_URL, toString: () => PARTS_URL };
  const saved = snapshot && decodeSnapshot(snapshot);
  const stopServing = serveParts(stdlib);
  let libraries;
  try {
    const { loadPyodide } = await import("./pyodide.mjs");
    const { default: createModule } = await import("./pyodide.asm.mjs");
    const python = await loadPyodide({
      indexURL: PARTS_URL,
      packageBaseUrl: PARTS_URL,
      lockFileContents: JSON.parse(new TextDecoder().decode(lock)),
      env: { HOME: "/session" },
      stdout: inItsTurn((line) => console.log(line)),
      stderr: inItsTurn((line) => console.warn(line)),
      fsInit: async (FS) => {
        for (const [root, archive] of trees) fillTree(FS, root, archive);
      },
      createPyodideModule: async (settings) => {
        const Module = await createModule(settings);
        libraries = saved ? replayLibraries(Module, saved) : recordLibraries(Module);
        return Module;
      },
      _makeSnapshot: making,
      _loadSnapshot: saved?.memory,
      _snapshotDeserializer: ({ jsModule }) => jsModules[jsModule],
    });
    if (!saved) for (const [name, module] of Object.entries(jsModules)) python.registerJsModule(name, module);
    const serializer = (value) => {
      const found = Object.entries(jsModules).find(([_name, module]) => module === value);
      if (!found) throw new Error(`a module holds on to a JavaScript object: ${value}`);
      return { jsModule: found[0] };
    };
    return {
      python,
      snapshot: () => encodeSnapshot(python._module, python.makeMemorySnapshot({ serializer }), libraries),
    };
  } finally {
    stopServing();
  }
}
