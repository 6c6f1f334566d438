/** Starts the page: the theme and the language first, so that nothing flashes, then the lists and the watch. */
import "./ui/tokens.css";
import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { useStore } from "zustand";
import { App } from "./app/App.tsx";
import { recallAttachments } from "./app/attachments.ts";
import { keepFresh, refresh } from "./app/directory.ts";
import { followTheme, preferences } from "./app/preferences.ts";
import { reloadOnOldAssets } from "./app/reload.ts";
import { watchForReturn } from "./app/sessions.ts";
import { keepTradingFresh } from "./app/trading.ts";
import { type Language, LanguageProvider, loadText } from "./i18n/text.ts";

function Translated() {
  const locale = useStore(preferences, (all) => all.locale);
  const [language, setLanguage] = useState<Language | null>(null);
  useEffect(() => {
    let stale = false;
    void loadText(locale).then((text) => {
      if (stale) return;
      document.documentElement.lang = locale;
      setLanguage({ locale, text });
    });
    return () => {
      stale = true;
    };
  }, [locale]);
  if (language === null) return null;
  return (
    <LanguageProvider value={language}>
      <App />
    </LanguageProvider>
  );
}

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");

reloadOnOldAssets();
followTheme();
void refresh();
keepFresh();
keepTradingFresh();
recallAttachments();
watchForReturn();
createRoot(root).render(
  <StrictMode>
    <Translated />
  </StrictMode>,
);
