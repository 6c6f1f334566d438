// Keeps the interpreter's snapshots on disk.
//
// There are two: one of the packages, and on top of it one of a bundle, which spares a start the import of the
// Worker. Each is named by what it was made from.

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
// Of each kind. More than one, because hosts of different versions may share the folder.
const KEPT = 3;
const MADE_BY = ["python_worker.mjs", "pyodide_boot.mjs", "snapshot.mjs", "modules.mjs"];

function digest(version, files) {
  const hash = createHash("sha256").update(version);
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}

/** A snapshot of a bundle is dropped after a few newer ones; the one of the packages below it is used longer. */
function removeOld(folder, kind) {
  const snapshots = readdirSync(folder)
    .filter((name) => name.startsWith(`${kind}-`) && name.endsWith(".snapshot"))
    .map((name) => join(folder, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of snapshots.slice(KEPT)) rmSync(old, { force: true });
}

async function made(folder, kind, digested, make) {
  const before = digested();
  const file = join(folder, `${kind}-${before}.snapshot`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const bytes = await make();
  // What is in memory must be what the name says, or an old version would start as a newer one.
  if (digested() !== before) return null;
  const scratch = `${file}.${process.pid}`;
  writeFileSync(scratch, bytes);
  renameSync(scratch, file);
  removeOld(folder, kind);
  return file;
}

/** `make({ making, snapshot })` boots an interpreter and returns its snapshot's bytes. */
export function snapshotCache(config, make) {
  const version = `${require("pyodide/package.json").version} ${config.compatibility_date}`;
  const own = MADE_BY.map((name) => fileURLToPath(new URL(name, import.meta.url)));
  const ofPackages = () => digest(version, [...own, config.packages]);
  const ofBundle = () =>
    digest(`${version} ${config.entry}`, [...own, config.packages, config.host_files, config.bundle]);
  return {
    /** The best there is to start from; the one of the packages is made if need be. */
    async best() {
      const bundle = join(config.cache, `bundle-${ofBundle()}.snapshot`);
      return existsSync(bundle) ? bundle : this.packages();
    },
    packages: () => made(config.cache, "packages", ofPackages, () => make({ making: "packages" })),
    async bundle() {
      const snapshot = await this.packages();
      await made(config.cache, "bundle", ofBundle, () => make({ making: "bundle", snapshot }));
    },
  };
}
