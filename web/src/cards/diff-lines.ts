/** The lines of a unified diff by what they mean; the two lines that name the file are left out. */
export interface DiffLine {
  readonly kind: "added" | "removed" | "place" | "same";
  readonly text: string;
}

function kindOf(line: string): DiffLine["kind"] {
  if (line.startsWith("@@")) return "place";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "same";
}

export function diffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const named = lines[0]?.startsWith("--- ") === true && lines[1]?.startsWith("+++ ") === true;
  return lines.slice(named ? 2 : 0).map((line) => ({ kind: kindOf(line), text: line.replace(/\r$/, "") }));
}
