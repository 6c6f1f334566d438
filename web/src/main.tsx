/** Starts the page: the theme and the language first, so that nothing flashes, then the lists and the watch. */
import "./ui/tokens.css";
import { lazy, StrictMode, Suspense, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { navigate } from "wouter/use-browser-location";
import { useStore } from "zustand";
import { pageBase } from "./api/whose.ts";
import { recallAttachments } from "./app/attachments.ts";
import { isKept, standing, watchBuild, whenCurrent } from "./app/build.ts";
import { Door } from "./app/Door.tsx";
import { keepFresh, refresh } from "./app/directory.ts";
import { enterByAddress } from "./app/enter.ts";
import { showLastKnown, startKeeping } from "./app/keeping.ts";
import { followTheme, preferences } from "./app/preferences.ts";
import { reloadOnOldAssets } from "./app/reload.ts";
import { startWorker } from "./app/service-worker.ts";
import { watchForReturn } from "./app/sessions.ts";
import { followSteps } from "./app/taken-steps.ts";
import { keepTradingFresh } from "./app/trading.ts";
import { connectHost } from "./embed/host.ts";
import { showsOnly } from "./embed/mode.ts";
import { type Language, LanguageProvider, loadText } from "./i18n/text.ts";
import { Boundary } from "./ui/Boundary.tsx";
import { Unloaded } from "./ui/Unloaded.tsx";

const FramePage = lazy(() => import("./embed/FramePage.tsx"));

function Translated() {
  const locale = useStore(preferences, (all) => all.locale);
  const [language, setLanguage] = useState<Language | null>(null);
  const [missing, setMissing] = useState(false);
  useEffect(() => {
    let stale = false;
    loadText(locale).then(
      (text) => {
        if (stale) return;
        document.documentElement.lang = locale;
        setLanguage({ locale, text });
      },
      () => setMissing(true),
    );
    return () => {
      stale = true;
    };
  }, [locale]);
  if (language === null) return missing ? <Unloaded /> : null;
  return (
    <LanguageProvider value={language}>
      <Boundary around="page">
        {showsOnly ? (
          <Suspense>
            <FramePage />
          </Suspense>
        ) : (
          <Router base={pageBase}>
            <Door />
          </Router>
        )}
      </Boundary>
    </LanguageProvider>
  );
}

function start(): void {
  const root = document.getElementById("root");
  if (root === null) throw new Error("index.html has no #root");
  connectHost(navigate);
  if (isKept() && !showsOnly) showLastKnown();
  void whenCurrent(() => {
    // A view in a frame asks for what it shows, and nothing that was begun elsewhere goes on in it.
    if (showsOnly) return;
    startKeeping();
    followSteps();
    void refresh();
    keepFresh();
    keepTradingFresh();
    recallAttachments();
    watchForReturn();
    watchBuild();
    startWorker();
  });
  createRoot(root).render(
    <StrictMode>
      <Translated />
    </StrictMode>,
  );
}

reloadOnOldAssets(async () => (await standing()) === "other");
followTheme();
// Nothing is asked for before it: without a session it would be refused.
void enterByAddress().then(start);
