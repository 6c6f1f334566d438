/** What this browser remembers for its person: language and theme. */
import { createStore } from "zustand/vanilla";
import { type Locale, localeOf } from "../i18n/locale.ts";
import { forgetful } from "./storage.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export interface Preferences {
  readonly theme: Theme;
  readonly locale: Locale;
  /** Whether the person chose the language, rather than the browser's settings. */
  readonly localeChosen: boolean;
}

const THEME = "berth.theme";
const LOCALE = "berth.locale";

function load(): Preferences {
  const theme = forgetful.get(THEME);
  const chosen = forgetful.get(LOCALE);
  return {
    theme: theme === "light" || theme === "dark" ? theme : "system",
    locale: localeOf(chosen ? [chosen] : navigator.languages),
    localeChosen: chosen !== null,
  };
}

export const preferences = createStore<Preferences>(load);

export function chooseTheme(theme: Theme): void {
  forgetful.set(THEME, theme);
  preferences.setState({ theme });
}

export function chooseLocale(locale: Locale): void {
  forgetful.set(LOCALE, locale);
  preferences.setState({ locale, localeChosen: true });
}

const dark = matchMedia("(prefers-color-scheme: dark)");

function showTheme(): void {
  const { theme } = preferences.getState();
  const shown = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
  document.documentElement.dataset.theme = shown;
  const bar = document.querySelector<HTMLMetaElement>('meta[name="theme-color"]');
  if (bar !== null) bar.content = shown === "dark" ? "#12151b" : "#fbfcfd";
}

/** Keeps the document in step with the choice and, for `system`, with the machine. */
export function followTheme(): void {
  showTheme();
  preferences.subscribe(showTheme);
  dark.addEventListener("change", showTheme);
}
