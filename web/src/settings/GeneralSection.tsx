/** How the page looks and speaks, and in which zone days and hours are counted. Each choice holds as soon as it is made. */

import { useStore } from "zustand";
import { tellLocale } from "../app/directory.ts";
import { chooseTheme, preferences, THEMES } from "../app/preferences.ts";
import { useMay } from "../app/rights.ts";
import { LOCALE_NAMES, LOCALES } from "../i18n/locale.ts";
import { useLanguage } from "../i18n/text.ts";
import { SelectField } from "../ui/Field.tsx";
import { TimeZone } from "./TimeZone.tsx";

export default function GeneralSection() {
  const { text: t, locale } = useLanguage();
  const manages = useMay("manage");
  const theme = useStore(preferences, (all) => all.theme);
  return (
    <>
      <SelectField
        label={t.theme}
        value={theme}
        choose={chooseTheme}
        options={THEMES.map((value) => ({ value, label: t.themes[value] }))}
      />
      <SelectField
        label={t.language}
        value={locale}
        choose={tellLocale}
        options={LOCALES.map((value) => ({ value, label: LOCALE_NAMES[value] }))}
      />
      {manages && <TimeZone />}
    </>
  );
}
