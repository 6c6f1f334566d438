/** Marks the words that are searched for where they stand in the rows, without touching what the rows are made of. */
import { type RefObject, useEffect } from "react";

const NAME = "found-words";
/** More marks than that help nobody, and cost time at each change. */
const MARKS_MAX = 500;

export function rangesOf(root: HTMLElement, query: string): Range[] {
  const wanted = query.toLowerCase();
  const ranges: Range[] = [];
  if (wanted.trim() === "") return ranges;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < MARKS_MAX; node = walker.nextNode()) {
    const text = (node.textContent ?? "").toLowerCase();
    // A letter whose other case is longer would move the places behind it.
    if (text.length !== node.textContent?.length) continue;
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  return ranges;
}

export function useMarkedWords(rows: RefObject<HTMLElement | null>, query: string): void {
  useEffect(() => {
    const root = rows.current;
    // A browser without highlights shows the card that is found, without the words in it.
    if (root === null || !("highlights" in CSS)) return;
    let waiting = 0;
    const mark = () => {
      waiting = 0;
      CSS.highlights.set(NAME, new Highlight(...rangesOf(root, query)));
    };
    const changes = new MutationObserver(() => {
      if (waiting === 0) waiting = requestAnimationFrame(mark);
    });
    mark();
    changes.observe(root, { childList: true, characterData: true, subtree: true });
    return () => {
      changes.disconnect();
      cancelAnimationFrame(waiting);
      CSS.highlights.delete(NAME);
    };
  }, [rows, query]);
}
