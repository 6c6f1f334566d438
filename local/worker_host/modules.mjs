// The modules of the Worker: the host's own, Pyodide's, and the entry module made for this Worker.
//
// The classes a Worker exports are names in JavaScript source, so the entry module is written here, from what the
// interpreter reported about the Python one.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const pyodide = (name) => require.resolve(`pyodide/${name}`);

// [module type, name in the Worker, file]
const PARTS = [
  ["ESModule", "python_worker.mjs", here("python_worker.mjs")],
  ["ESModule", "pyodide_boot.mjs", here("pyodide_boot.mjs")],
  ["ESModule", "snapshot.mjs", here("snapshot.mjs")],
  ["ESModule", "zip.mjs", here("zip.mjs")],
  ["ESModule", "pyodide.mjs", pyodide("pyodide.mjs")],
  ["ESModule", "pyodide.asm.mjs", pyodide("pyodide.asm.mjs")],
  ["CompiledWasm", "pyodide.asm.wasm", pyodide("pyodide.asm.wasm")],
];

// Loaded only where a test may ask for faults.
const FAULTS = ["faults.mjs", "fault_rules.mjs", "faulty_bucket.mjs"].map((name) => [
  "ESModule",
  name,
  here(name),
]);

// Lets a snapshot say where an extension module lies in memory; see snapshot.mjs.
const LOADER_MEMORY = "alignMemory(getMemory(metadata.memorySize+memAlign),memAlign)";
const OWN_MEMORY = LOADER_MEMORY.replace("getMemory(", "Module.berthMemory(libName,");

function patched(name, source) {
  if (name !== "pyodide.asm.mjs") return source;
  if (source.split(LOADER_MEMORY).length !== 2)
    throw new Error("this Pyodide loads extension modules otherwise");
  return source.replace(LOADER_MEMORY, OWN_MEMORY);
}

function moduleOf([type, name, file]) {
  const bytes = readFileSync(file);
  return {
    type,
    path: `/${name}`,
    contents: type === "ESModule" ? patched(name, bytes.toString("utf8")) : bytes,
  };
}

/** One exported class for each that the Python Worker defines, and the one whose events come from the port. */
export function entrySource({ durableObjects, entrypoints }, { assets, entry, making, faults }) {
  const classes = [
    ...Object.entries(durableObjects).map((found) => ["durableObject", ...found]),
    ...Object.entries(entrypoints).map((found) => ["entrypoint", ...found]),
  ];
  const lines = classes.map(([kind, name, methods]) => {
    const declared = name === "Default" ? "export default" : `export const ${name} =`;
    return `${declared} ${kind}(${JSON.stringify(name)}, ${JSON.stringify(methods)});`;
  });
  const front = assets ? { binding: assets.binding, workerFirst: assets.worker_first } : null;
  return [
    `import { configure, durableObject, entrypoint, served } from "./python_worker.mjs";`,
    `export { Control } from "./python_worker.mjs";`,
    faults ? `import * as faults from "./faults.mjs";` : "const faults = null;",
    `configure({ ...${JSON.stringify({ entry, making })}, faults });`,
    ...lines,
    `export const Served = served("Default", ${JSON.stringify(front)});`,
  ].join("\n");
}

export function workerModules(config, { classes, making = null }) {
  const { assets, entry, faults } = config;
  const options = { assets, entry, making, faults };
  return [
    { type: "ESModule", path: "/main.mjs", contents: entrySource(classes, options) },
    ...PARTS.map(moduleOf),
    ...(config.modules ?? []).map((file) => moduleOf(["ESModule", basename(file), file])),
    ...(config.faults ? FAULTS.map(moduleOf) : []),
  ];
}

/**
 * Services of workerd through which the Worker reads files when it boots: `{binding: file}`. They are read where
 * they lie, as megabytes inside the configuration would delay every start.
 */
export function bootFiles(config, { snapshot }) {
  return {
    HOST_STDLIB: pyodide("python_stdlib.zip"),
    HOST_LOCK: pyodide("pyodide-lock.json"),
    HOST_PACKAGES: config.packages,
    HOST_BUNDLE: config.bundle,
    HOST_PYTHON: config.host_files,
    ...(snapshot ? { HOST_SNAPSHOT: snapshot } : {}),
  };
}
