import { describe, expect, it } from "vitest";
import { removesMore, shownAs, withAge } from "../../src/settings/retention-form.ts";

const DAYS = { results: 30, pictures: null, threads: 90 };

describe("retention form", () => {
  it("shows days as text and nothing as for ever", () => {
    expect([shownAs(12), shownAs(null), shownAs(undefined)]).toEqual(["12", "ever", "ever"]);
  });

  it("changes one age and leaves the others", () => {
    expect(withAge(DAYS, "results", "ever")).toEqual({ ...DAYS, results: null });
    expect(withAge(DAYS, "pictures", "7")).toEqual({ ...DAYS, pictures: 7 });
  });

  it("knows when more is removed than before", () => {
    expect(removesMore(DAYS, DAYS)).toBe(false);
    expect(removesMore(DAYS, { ...DAYS, results: 31, threads: null })).toBe(false);
    expect(removesMore(DAYS, { ...DAYS, results: 29 })).toBe(true);
    expect(removesMore(DAYS, { ...DAYS, pictures: 3650 })).toBe(true);
  });
});
