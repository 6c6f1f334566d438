/** What this browser remembers for its person: language, theme, how the page is laid out, and which keys count. */
import { createStore } from "zustand/vanilla";
import { type Locale, localeOf } from "../i18n/locale.ts";
import { forgetful } from "./storage.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** How a change of a file is shown: in one column, or what was beside what is. */
export type DiffForm = "unified" | "split";

export interface Preferences {
  readonly theme: Theme;
  readonly locale: Locale;
  /** Whether the person chose the language, rather than the browser's settings. */
  readonly localeChosen: boolean;
  /** Whether the list of threads is out of the way, where the screen is wide enough for it. */
  readonly listHidden: boolean;
  /** Whether a key without Ctrl or Alt is a command; who dictates or has a tremor may not want that. */
  readonly plainKeys: boolean;
  readonly diff: DiffForm;
}

const THEME = "berth.theme";
const LOCALE = "berth.locale";
const LIST = "berth.list";
const PLAIN_KEYS = "berth.keys";
const OFF = "off";
const DIFF = "berth.diff";

function load(): Preferences {
  const theme = forgetful.get(THEME);
  const chosen = forgetful.get(LOCALE);
  return {
    theme: theme === "light" || theme === "dark" ? theme : "system",
    locale: localeOf(chosen ? [chosen] : navigator.languages),
    localeChosen: chosen !== null,
    listHidden: forgetful.get(LIST) === OFF,
    plainKeys: forgetful.get(PLAIN_KEYS) !== OFF,
    diff: forgetful.get(DIFF) === "split" ? "split" : "unified",
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

function remember(key: string, on: boolean): void {
  if (on) forgetful.remove(key);
  else forgetful.set(key, OFF);
}

export function showList(shown: boolean): void {
  remember(LIST, shown);
  preferences.setState({ listHidden: !shown });
}

export function choosePlainKeys(plainKeys: boolean): void {
  remember(PLAIN_KEYS, plainKeys);
  preferences.setState({ plainKeys });
}

export function chooseDiff(diff: DiffForm): void {
  forgetful.set(DIFF, diff);
  preferences.setState({ diff });
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
