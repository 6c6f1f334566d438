/**
 * The files that a message can name: those of the computer as it last showed them, a folder at a time, and the results
 * that were handed over. Nothing here wakes the computer; what was asked for a moment ago is not asked for again.
 */
import { getArtifacts, getFolder } from "../api/berth.ts";
import type { Artifact, FolderEntry } from "../contracts.ts";
import { splitPath } from "./completion.ts";

export interface FileName {
  readonly kind: "file" | "folder" | "result";
  /** Relative to the workspace; of a result its name. */
  readonly path: string;
}

const SHOWN = 50;
const FRESH_MS = 10_000;

const rank = (name: string, wanted: string): number | null => {
  const at = name.toLowerCase().indexOf(wanted.toLowerCase());
  return at < 0 ? null : Math.min(at, 1);
};

/** What fits a query, of the entries of its folder and of the results; names that begin so come first. */
export function fitting(
  query: string,
  entries: readonly FolderEntry[],
  results: readonly Artifact[],
): FileName[] {
  const { folder, name } = splitPath(query);
  const inFolder = entries
    .filter((entry) => name.startsWith(".") || !entry.name.startsWith("."))
    .filter((entry) => entry.kind !== "other")
    .map((entry) => ({
      kind: entry.kind === "folder" ? ("folder" as const) : ("file" as const),
      path: folder === "" ? entry.name : `${folder}/${entry.name}`,
      score: rank(entry.name, name),
    }));
  const handedOver = results.map((one) => ({
    kind: "result" as const,
    path: one.name,
    score: query.includes("/") ? null : rank(one.name, name),
  }));
  const there = new Set(inFolder.map((one) => one.path));
  return [...inFolder, ...handedOver.filter((one) => !there.has(one.path))]
    .filter((one) => one.score !== null)
    .sort((a, b) => (a.score ?? 0) - (b.score ?? 0))
    .slice(0, SHOWN)
    .map(({ kind, path }) => ({ kind, path }));
}

/** Asks once for each key within `FRESH_MS`, however often it is wanted. */
function remembered<T>(ask: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const kept = new Map<string, { readonly at: number; readonly answer: Promise<T> }>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined && performance.now() - known.at < FRESH_MS) return known.answer;
    const answer = ask(key);
    kept.set(key, { at: performance.now(), answer });
    // What failed is asked for again at the next letter.
    answer.catch(() => kept.delete(key));
    return answer;
  };
}

const listing = remembered(async (folder) => (await getFolder(folder, "time", 0)).entries);
const results = remembered(async (_all) => (await getArtifacts()).items);

/** The names for a query. A folder that cannot be seen has no entries; the results are named all the same. */
export async function filesFor(query: string): Promise<FileName[]> {
  const [entries, handedOver] = await Promise.allSettled([listing(splitPath(query).folder), results("")]);
  return fitting(
    query,
    entries.status === "fulfilled" ? entries.value : [],
    handedOver.status === "fulfilled" ? handedOver.value : [],
  );
}
