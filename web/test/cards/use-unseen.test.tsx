// @vitest-environment happy-dom
import { cleanup, render } from "@testing-library/react";
import { useRef } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SeenParts, useUnseen } from "../../src/cards/use-unseen.ts";

const VIEW = 300;

/** Cells one below the other in a view of `VIEW` pixels; an observed cell is told of at once, as a browser does. */
let top: number;
let heights: readonly number[];
let told: number;

class Observer {
  readonly #heard: (entries: unknown[]) => void;
  constructor(heard: (entries: unknown[]) => void) {
    this.#heard = heard;
  }
  observe(cell: Element): void {
    const index = [...document.querySelectorAll("td")].indexOf(cell as HTMLTableCellElement);
    const above = heights.slice(0, index).reduce((sum, height) => sum + height, 0) - top;
    const height = heights[index] ?? 0;
    const from = Math.max(0, above);
    const to = Math.min(VIEW, above + height);
    const shown = Math.max(0, to - from);
    this.#heard([
      {
        ...{ target: cell, isIntersecting: shown > 0, intersectionRatio: shown / height },
        boundingClientRect: { top: above, bottom: above + height, height, width: 100 },
        intersectionRect: { top: from, bottom: to, height: shown, width: shown > 0 ? 100 : 0 },
      },
    ]);
  }
  unobserve(): void {}
  disconnect(): void {}
}

function Table() {
  const body = useRef<HTMLTableSectionElement>(null);
  useUnseen(body, true, (count) => {
    told = count;
  });
  return (
    <table>
      <tbody ref={body}>
        {heights.map((height, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change
          <tr key={index}>
            <td>{height}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function scrollTo(place: number): void {
  top = place;
  dispatchEvent(new Event("scroll"));
}

beforeEach(() => {
  vi.stubGlobal("IntersectionObserver", Observer);
  [top, told] = [0, -1];
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe("a row that has to be in view", () => {
  it("counts with half of it, as long as that fits", () => {
    heights = [500, 400];
    render(<Table />);
    expect(told).toBe(1);
  });

  it("counts where it is taller than twice the view, once all of it went by", () => {
    heights = [1_000];
    render(<Table />);
    for (const place of [250, 500]) scrollTo(place);
    expect(told).toBe(1);
    scrollTo(700);
    expect(told).toBe(0);
  });

  it("does not count where a part of it was passed over", () => {
    heights = [1_000];
    render(<Table />);
    scrollTo(700);
    expect(told).toBe(1);
    scrollTo(400);
    expect(told).toBe(1);
    scrollTo(200);
    expect(told).toBe(0);
  });
});

describe("SeenParts", () => {
  it("begins anew where the cell is drawn in another height", () => {
    const parts = new SeenParts();
    expect(parts.add(900, 0, 500)).toBe(false);
    expect(parts.add(800, 500, 800)).toBe(false);
    expect(parts.add(800, 0, 500)).toBe(true);
  });
});
