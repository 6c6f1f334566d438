/** How the page looks and which language it speaks, as two small menus. */
import { Languages, Monitor, Moon, Sun } from "lucide-react";
import { useStore } from "zustand";
import { tellLocale } from "../app/directory.ts";
import { chooseTheme, preferences, THEMES, type Theme } from "../app/preferences.ts";
import { LOCALE_NAMES, LOCALES } from "../i18n/locale.ts";
import { useLanguage } from "../i18n/text.ts";
import { MenuButton } from "../ui/MenuButton.tsx";

const THEME_ICONS: Record<Theme, React.ReactNode> = {
  system: <Monitor size={17} aria-hidden="true" />,
  light: <Sun size={17} aria-hidden="true" />,
  dark: <Moon size={17} aria-hidden="true" />,
};

export function Choosers() {
  const { text: t, locale } = useLanguage();
  const theme = useStore(preferences, (all) => all.theme);
  return (
    <>
      <MenuButton
        label={t.theme}
        items={THEMES.map((value) => ({
          label: t.themes[value],
          icon: THEME_ICONS[value],
          checked: value === theme,
          choose: () => chooseTheme(value),
        }))}
      >
        {THEME_ICONS[theme]}
      </MenuButton>
      <MenuButton
        label={t.language}
        items={LOCALES.map((value) => ({
          label: LOCALE_NAMES[value],
          lang: value,
          checked: value === locale,
          choose: () => tellLocale(value),
        }))}
      >
        <Languages size={17} />
      </MenuButton>
    </>
  );
}
