/** What the palette finds: by each word of what was typed, the better the earlier a word stands. */
export interface Entry {
  readonly id: string;
  readonly label: string;
  /** Other words by which it is found. */
  readonly also?: string;
}

const SHOWN = 50;

/** How well the entry fits, from 0; null where a word is missing. */
export function scoreOf(entry: Entry, words: readonly string[]): number | null {
  const label = entry.label.toLowerCase();
  const all = `${label} ${(entry.also ?? "").toLowerCase()}`;
  // What somebody has typed whole is what they mean.
  let score = label === words.join(" ") ? -1 : 0;
  for (const word of words) {
    const at = all.indexOf(word);
    if (at < 0) return null;
    const begins = at === 0 || /[\s/:]/.test(all[at - 1] ?? "");
    score += (begins ? 0 : 10) + (at < label.length ? 0 : 20) + (at === 0 ? 0 : 1);
  }
  return score;
}

/** The entries that have every word, the best first, else in the order in which they came. */
export function found<E extends Entry>(entries: readonly E[], query: string): E[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return entries
    .flatMap((entry) => {
      const score = scoreOf(entry, words);
      return score === null ? [] : [{ entry, score }];
    })
    .sort((a, b) => a.score - b.score)
    .slice(0, SHOWN)
    .map(({ entry }) => entry);
}
