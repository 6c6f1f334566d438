/**
 * The page's words. A dictionary is a typed object, loaded when its language is in use; a component reads
 * `useText().someKey`, so the compiler knows each key and its parameters.
 */
import { createContext, useContext } from "react";
import type { en } from "./en.ts";
import type { Locale } from "./locale.ts";

type Widened<T> = T extends string
  ? string
  : T extends (...args: infer A) => string
    ? (...args: A) => string
    : { readonly [K in keyof T]: Widened<T[K]> };

export type Dictionary = Widened<typeof en>;

const LOADERS: Record<Locale, () => Promise<Dictionary>> = {
  en: async () => (await import("./en.ts")).en,
  "zh-Hans": async () => (await import("./zh-Hans.ts")).zhHans,
  "zh-Hant": async () => (await import("./zh-Hant.ts")).zhHant,
};

export const loadText = (locale: Locale): Promise<Dictionary> => LOADERS[locale]();

export interface Language {
  readonly locale: Locale;
  readonly text: Dictionary;
}

const LanguageContext = createContext<Language | null>(null);

export const LanguageProvider = LanguageContext.Provider;

export function useLanguage(): Language {
  const language = useContext(LanguageContext);
  if (language === null) throw new Error("no language provider above this component");
  return language;
}

export const useText = (): Dictionary => useLanguage().text;
