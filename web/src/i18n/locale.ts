/** Which of our languages suits a person's list of languages. */
export const LOCALES = ["en", "zh-Hans", "zh-Hant"] as const;
export type Locale = (typeof LOCALES)[number];

export const LOCALE_NAMES: Record<Locale, string> = {
  en: "English",
  "zh-Hans": "简体中文",
  "zh-Hant": "繁體中文",
};

const TRADITIONAL = /^zh\b.*\b(hant|tw|hk|mo)\b/i;

export function localeOf(wanted: readonly string[]): Locale {
  for (const tag of wanted) {
    if (TRADITIONAL.test(tag)) return "zh-Hant";
    if (/^zh\b/i.test(tag)) return "zh-Hans";
    if (/^en\b/i.test(tag)) return "en";
  }
  return "en";
}
