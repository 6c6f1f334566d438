import { describe, expect, it } from "vitest";
import { HELD_MAX, Sequence } from "../../src/stream/sequence.ts";

function offered(seqs: number[]): { applied: number[]; sequence: Sequence<number> } {
  const sequence = new Sequence<number>();
  const applied = seqs.flatMap((seq) => sequence.offer(seq, seq));
  return { applied, sequence };
}

describe("Sequence", () => {
  it.each([
    ["in order", [1, 2, 3], [1, 2, 3]],
    ["repeated", [1, 1, 2, 1, 2, 3], [1, 2, 3]],
    ["out of order", [1, 3, 4, 2], [1, 2, 3, 4]],
    ["with a gap", [1, 3, 4], [1]],
    ["with a held one repeated", [3, 3, 2, 1], [1, 2, 3]],
  ])("applies each event once, none before its predecessor: %s", (_, seqs, applied) => {
    expect(offered(seqs).applied).toEqual(applied);
  });

  it("says that something is missing only while it is", () => {
    const { sequence } = offered([1, 3]);
    expect(sequence.hasGap).toBe(true);
    expect(sequence.offer(2, 2)).toEqual([2, 3]);
    expect(sequence.hasGap).toBe(false);
  });

  it("holds no more than it may", () => {
    const early = Array.from({ length: HELD_MAX + 10 }, (_, i) => i + 2);
    expect(offered([...early, 1]).sequence.cursor).toBe(HELD_MAX + 1);
  });

  it("starts anew after what was held is given up", () => {
    const { sequence } = offered([1, 3]);
    sequence.release();
    expect(sequence.offer(2, 2)).toEqual([2]);
  });
});
