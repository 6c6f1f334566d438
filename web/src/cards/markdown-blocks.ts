/**
 * Cuts a text that is still being written into blocks, so that only the last one is parsed again with each
 * piece. A cut is made at an empty line outside of fenced code and before a line that is not indented.
 */
export function markdownBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | null = null;
  const lines = text.split("\n");
  lines.forEach((line, at) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === null || (mark.startsWith(fence) && line.trim() === mark))) {
      fence = fence === null ? mark : null;
    }
    const next = lines[at + 1];
    const ends = line.trim() === "" && fence === null && next !== undefined && /^\S/.test(next);
    block.push(line);
    if (ends && block.some((one) => one.trim() !== "")) {
      blocks.push(block.join("\n"));
      block = [];
    }
  });
  if (block.length > 0) blocks.push(block.join("\n"));
  return blocks;
}
