/** The browser's recognition of speech, where it has one; in some it still goes by its old name. */
import type { Locale } from "../i18n/locale.ts";

export interface SpeechResult {
  readonly isFinal: boolean;
  readonly 0: { readonly transcript: string };
}

export interface SpeechEvent {
  readonly resultIndex: number;
  readonly results: { readonly length: number; readonly [index: number]: SpeechResult };
}

export interface Recognition {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  onresult: ((event: SpeechEvent) => void) | null;
  onerror: ((event: { readonly error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  stop(): void;
  abort(): void;
}

type Maker = new () => Recognition;

export function recognition(from: object = globalThis): Maker | null {
  const names = from as { SpeechRecognition?: Maker; webkitSpeechRecognition?: Maker };
  return names.SpeechRecognition ?? names.webkitSpeechRecognition ?? null;
}

const TAGS: Record<Locale, string> = { en: "en-US", "zh-Hans": "zh-CN", "zh-Hant": "zh-TW" };

/** The language that is spoken: of the person's own kind, where they have one of the page's language. */
export function spoken(locale: Locale, languages: readonly string[]): string {
  const tag = TAGS[locale];
  return locale === "en" ? (languages.find((one) => /^en-/i.test(one)) ?? tag) : tag;
}

/** What was said for good, and what is still being understood. */
export function heard(event: SpeechEvent): { readonly final: string; readonly interim: string } {
  let [final, interim] = ["", ""];
  for (let at = event.resultIndex; at < event.results.length; at++) {
    const result = event.results[at];
    if (result === undefined) continue;
    if (result.isFinal) final += result[0].transcript;
    else interim += result[0].transcript;
  }
  return { final: final.trim(), interim: interim.trim() };
}
