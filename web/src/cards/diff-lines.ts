/** A unified diff as rows: each line with its numbers before and after; the two lines that name the file are left out. */
export interface DiffLine {
  readonly kind: "added" | "removed" | "place" | "same";
  /** Without the mark in front of it; the whole line where it says a place. */
  readonly text: string;
  /** The number of the line before and after; null where it is not there. */
  readonly before: number | null;
  readonly after: number | null;
}

const PLACE = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

function kindOf(line: string): DiffLine["kind"] {
  if (line.startsWith("@@")) return "place";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "same";
}

export function diffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const named = lines[0]?.startsWith("--- ") === true && lines[1]?.startsWith("+++ ") === true;
  let [before, after] = [1, 1];
  return lines.slice(named ? 2 : 0).map((line) => {
    const kind = kindOf(line);
    const whole = line.replace(/\r$/, "");
    if (kind === "place") {
      const [, old = "1", fresh = "1"] = PLACE.exec(line) ?? [];
      [before, after] = [Number(old), Number(fresh)];
      return { kind, text: whole, before: null, after: null };
    }
    // What is said about the end of a file counts as no line.
    const counts = !line.startsWith("\\");
    return {
      kind,
      text: counts ? whole.slice(1) : whole,
      before: counts && kind !== "added" ? before++ : null,
      after: counts && kind !== "removed" ? after++ : null,
    };
  });
}

export interface DiffPair {
  /** Indexes of the lines that stand beside each other; a place stands in both. */
  readonly left: number | null;
  readonly right: number | null;
}

/** The rows of a view with two sides: what was removed beside what came in its place. */
export function pairs(lines: readonly DiffLine[]): DiffPair[] {
  const rows: DiffPair[] = [];
  let [removed, added]: [number[], number[]] = [[], []];
  const flush = () => {
    for (let n = 0; n < Math.max(removed.length, added.length); n++)
      rows.push({ left: removed[n] ?? null, right: added[n] ?? null });
    [removed, added] = [[], []];
  };
  for (const [index, { kind }] of lines.entries()) {
    if (kind === "removed" && added.length > 0) flush();
    if (kind === "removed") removed.push(index);
    else if (kind === "added") added.push(index);
    else {
      flush();
      rows.push({ left: index, right: index });
    }
  }
  flush();
  return rows;
}
