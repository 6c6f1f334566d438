// Memory snapshots: an interpreter that has imported the packages, as a file.
//
// Pyodide saves and restores the interpreter's memory, but not what lies beside it: the extension modules that were
// loaded, each with its place in memory and in the function table, and the handles that Python holds on them. These
// are written in front of the memory, and put back in the same order before it is restored. Cloudflare's own
// runtime does the same.

const ALIGNMENT = 16;

/** Notes where each extension module is put. The patched loader calls `berthMemory` for its memory. */
export function recordLibraries(Module, earlier = []) {
  const libraries = [...earlier];
  Module.berthMemory = (name, size) => {
    const memory = Module.getMemory(size);
    libraries.push({ name, memory, table: Module.wasmTable.length });
    return memory;
  };
  return libraries;
}

/** The bytes of a snapshot file. */
export function encodeSnapshot(Module, memory, libraries) {
  const meta = new TextEncoder().encode(
    JSON.stringify({
      heapBytes: Module.HEAP8.length,
      libraries: libraries.map((library) => ({ ...library, handles: handlesOf(Module, library.name) })),
    }),
  );
  const start = Math.ceil((4 + meta.length) / ALIGNMENT) * ALIGNMENT;
  const file = new Uint8Array(start + memory.length);
  new DataView(file.buffer).setUint32(0, meta.length, true);
  file.set(meta, 4);
  file.set(memory, start);
  return file;
}

export function decodeSnapshot(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const meta = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  const start = Math.ceil((4 + size) / ALIGNMENT) * ALIGNMENT;
  return { ...meta, memory: new Uint8Array(buffer, start) };
}

/** Makes room for the saved memory, and loads the extension modules into the places they had. */
export function replayLibraries(Module, { heapBytes, libraries }) {
  Module.growMemory(heapBytes);
  for (const { name, memory, table, handles } of libraries) {
    if (Module.wasmTable.length !== table)
      throw new Error(
        `${name} was at ${table} in the function table, and would be at ${Module.wasmTable.length}`,
      );
    Module.berthMemory = () => memory;
    const library = Module.newDSO(name, undefined, "loading");
    library.global = false;
    // Its own scope, as the symbols of one extension module are no matter of another.
    library.exports = Module.loadWebAssemblyModule(Module.FS.readFile(name), {}, name, {});
    for (const handle of handles) Module.LDSO.loadedLibsByHandle[handle] = library;
  }
  return recordLibraries(Module, libraries);
}

function handlesOf(Module, name) {
  return Object.entries(Module.LDSO.loadedLibsByHandle)
    .filter(([handle, library]) => handle !== "0" && library.name === name)
    .map(([handle]) => Number(handle));
}
