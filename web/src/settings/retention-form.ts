/** The ages of the retention settings as a form has them: days as text, and a word for keeping for ever. */
import type { Retention } from "../contracts.ts";

export const KINDS = ["results", "pictures", "threads"] as const;
export type Kind = (typeof KINDS)[number];

export const EVER = "ever";
export const AGES: readonly string[] = ["7", "30", "90", "365", EVER];

export const shownAs = (days: number | null | undefined): string => (days == null ? EVER : String(days));

export const withAge = (days: Retention, kind: Kind, age: string): Retention => ({
  ...days,
  [kind]: age === EVER ? null : Number(age),
});

const length = (days: number | null | undefined): number => days ?? Number.POSITIVE_INFINITY;

/** Whether something that is kept under `before` is removed under `after`. */
export const removesMore = (before: Retention, after: Retention): boolean =>
  KINDS.some((kind) => length(after[kind]) < length(before[kind]));
