/**
 * What the server says of a failure, in the person's language: by its reason and the facts beside it.
 *
 * In English it is the server's own sentence, so there are none of these.
 */
import type { Because } from "../../contracts.ts";

export type Reason = Because["reason"];

const FACT_CHARACTERS = 300;
const DEPTH = 3;

export type Sentences = Readonly<Record<string, string>>;

/** The sentence of a problem's details, or null where there is none for their reason. */
export function sentenceOf(details: unknown, sentences: Sentences, depth = 0): string | null {
  if (typeof details !== "object" || details === null || !("reason" in details)) return null;
  const { reason } = details;
  if (typeof reason !== "string" || !Object.hasOwn(sentences, reason)) return null;
  const facts: Readonly<Record<string, unknown>> = { ...details };
  return (sentences[reason] ?? "").replace(/\{(\w+)\}/g, (_, name: string) =>
    factOf(facts[name], sentences, depth),
  );
}

/** A fact as text; some are reasons themselves. What is neither is shown as left out. */
function factOf(fact: unknown, sentences: Sentences, depth: number): string {
  if (typeof fact === "string") return fact.slice(0, FACT_CHARACTERS);
  if (typeof fact === "number") return String(fact);
  if (depth >= DEPTH) return "…";
  if (Array.isArray(fact)) return fact.map((one) => factOf(one, sentences, depth + 1)).join("；");
  return sentenceOf(fact, sentences, depth + 1) ?? "…";
}
