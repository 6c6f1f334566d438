/**
 * Which rows of a table were not in view yet. A row counts once half of its first cell was in view at once, or, of one
 * that is too tall for that, once every part of it was, whichever way the person scrolled.
 */
import { type RefObject, useEffect, useEffectEvent } from "react";

const HALF = 0.5;
/** Places are fractions of pixels, and are rounded. */
const ROUNDING_PX = 1;

/** The parts of a cell that were in view, in pixels from its top. */
export class SeenParts {
  #height = 0;
  #parts: readonly (readonly [from: number, to: number])[] = [];

  /** Adds a part, and says whether all of the cell was in view by now. Of another height it is drawn anew, and begins anew. */
  add(height: number, from: number, to: number): boolean {
    if (Math.abs(height - this.#height) > ROUNDING_PX) [this.#height, this.#parts] = [height, []];
    const apart = this.#parts.filter(([a, b]) => b < from - ROUNDING_PX || a > to + ROUNDING_PX);
    const joined = this.#parts.filter((part) => !apart.includes(part));
    const whole = [
      Math.min(from, ...joined.map(([a]) => a)),
      Math.max(to, ...joined.map(([, b]) => b)),
    ] as const;
    this.#parts = [...apart, whole];
    return whole[0] <= ROUNDING_PX && whole[1] >= height - ROUNDING_PX;
  }
}

/** Whether the cell counts as seen with what is in view of it now. */
function isSeen(entry: IntersectionObserverEntry, parts: SeenParts): boolean {
  if (!entry.isIntersecting) return false;
  if (entry.intersectionRatio >= HALF) return true;
  const { boundingClientRect: cell, intersectionRect: shown } = entry;
  // What lies beside the view was not seen, however much of its height was.
  if (shown.width < cell.width * HALF) return false;
  return parts.add(cell.height, shown.top - cell.top, shown.bottom - cell.top);
}

/**
 * Tell how many rows of a table were not in view yet, each time that changes. Of a row it is the first cell that
 * counts: in a narrow window the others lie beside the view.
 */
export function useUnseen(
  body: RefObject<HTMLElement | null>,
  asked: boolean,
  onUnseen: (count: number) => void,
) {
  const tell = useEffectEvent(onUnseen);
  useEffect(() => {
    if (!asked) return;
    const cells = [...(body.current?.querySelectorAll("tr > :first-child") ?? [])];
    const unseen = new Map(cells.map((cell) => [cell, new SeenParts()]));
    /** Those of which a part is in view. */
    const partly = new Set<Element>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          const parts = unseen.get(entry.target);
          if (parts !== undefined && isSeen(entry, parts)) unseen.delete(entry.target);
          if (entry.isIntersecting && unseen.has(entry.target)) partly.add(entry.target);
          else partly.delete(entry.target);
        }
        tell(unseen.size);
      },
      { threshold: [0, HALF] },
    );
    // While a tall cell goes by, as much of it is in view as before, and nothing would be told of it. To begin anew tells.
    const scrolled = () => {
      for (const cell of partly) {
        observer.unobserve(cell);
        observer.observe(cell);
      }
    };
    for (const cell of cells) observer.observe(cell);
    addEventListener("scroll", scrolled, { capture: true, passive: true });
    return () => {
      removeEventListener("scroll", scrolled, { capture: true });
      observer.disconnect();
    };
  }, [body, asked]);
}
