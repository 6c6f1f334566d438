/**
 * The sentences of the server's reasons, in a part of their own for each language: most people see none of them,
 * so they are loaded when the first failure is shown.
 */
import { useEffect, useState } from "react";
import type { Locale } from "../locale.ts";
import { useLanguage } from "../text.ts";
import { type Sentences, sentenceOf } from "./reason.ts";

/** Then the server's own words are shown. */
const NONE: Sentences = {};

const LOADERS: Record<Locale, () => Promise<Sentences>> = {
  en: async () => NONE,
  "zh-Hans": async () => (await import("./zh-Hans.ts")).zhHansReasons,
  "zh-Hant": async () => (await import("./zh-Hant.ts")).zhHantReasons,
};

const loaded = new Map<Locale, Sentences>([["en", NONE]]);

async function load(locale: Locale): Promise<Sentences> {
  try {
    const sentences = await LOADERS[locale]();
    loaded.set(locale, sentences);
    return sentences;
  } catch (reason) {
    // A part that cannot be had, as without a server. The next failure that is shown asks for it again.
    if (reason instanceof TypeError) return NONE;
    throw reason;
  }
}

/** Null for the moment until they are there. */
export function useSentences(): Sentences | null {
  const { locale } = useLanguage();
  const [late, setLate] = useState<{ locale: Locale; sentences: Sentences } | null>(null);
  useEffect(() => {
    if (loaded.has(locale)) return;
    let stale = false;
    void load(locale).then((sentences) => !stale && setLate({ locale, sentences }));
    return () => {
      stale = true;
    };
  }, [locale]);
  return loaded.get(locale) ?? (late?.locale === locale ? late.sentences : null);
}

/** What the server says of a failure, in the person's language; nothing for the moment in which that is not known yet. */
export function useSaid(): (failure: { message: string; details?: unknown }) => string {
  const sentences = useSentences();
  return ({ message, details }) => (sentences === null ? "" : (sentenceOf(details, sentences) ?? message));
}
