// Reads an archive whose entries are stored, not compressed.
//
// The bundle travels into workerd as one such file, because a Worker has modules but no disk. Every entry is a
// view on the archive's own memory, so that unpacking copies nothing.

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_SIZE = 22;
const ENTRY_SIZE = 46;
const LOCAL_SIZE = 30;

/** Yields `[path, bytes]` for every file of the archive. */
export function* storedFiles(buffer) {
  const view = new DataView(buffer);
  const text = new TextDecoder();
  let end = buffer.byteLength - END_SIZE;
  while (end >= 0 && view.getUint32(end, true) !== END) end--;
  if (end < 0) throw new Error("not a zip archive");
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (view.getUint32(at, true) !== ENTRY) throw new Error(`damaged zip archive at ${at}`);
    const [nameSize, extraSize, noteSize] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    const path = text.decode(new Uint8Array(buffer, at + ENTRY_SIZE, nameSize));
    if (view.getUint16(at + 10, true) !== 0)
      throw new Error(`${path} is compressed: the archive must be stored`);
    const size = view.getUint32(at + 24, true);
    const local = view.getUint32(at + 42, true);
    const start = local + LOCAL_SIZE + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    if (!path.endsWith("/")) yield [path, new Uint8Array(buffer, start, size)];
    at += ENTRY_SIZE + nameSize + extraSize + noteSize;
  }
}
