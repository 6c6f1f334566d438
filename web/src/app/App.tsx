/** The page: bars that concern everything, the rail, and what the address asks for. */

import { CloudOff, RefreshCw, ShieldAlert } from "lucide-react";
import { lazy, useCallback, useEffect, useMemo, useState } from "react";
import { useLocation, useRoute } from "wouter";
import { useStore } from "zustand";
import { problemOf } from "../api/http.ts";
import { ComputerColumn } from "../computer/ComputerColumn.tsx";
import type { Bot } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Rail, type RailActions } from "../rail/Rail.tsx";
import { ThreadPage } from "../thread/ThreadPage.tsx";
import { TradingBar } from "../trading/TradingBar.tsx";
import { Button } from "../ui/Button.tsx";
import { LazyPart } from "../ui/LazyPart.tsx";
import css from "./App.module.css";
import { build } from "./build.ts";
import { directory, openNewThread, removed } from "./directory.ts";
import { closeList, openList, usePageCommands } from "./page-commands.ts";
import { preferences } from "./preferences.ts";
import { useShortcuts } from "./shortcuts.ts";
import { Missing, Welcome } from "./Welcome.tsx";

const Sheet = lazy(() => import("../ui/Sheet.tsx"));
const UndoToast = lazy(() => import("./UndoToast.tsx"));
const RoutinesPage = lazy(() => import("../routines/RoutinesPage.tsx"));
const SettingsPage = lazy(() => import("../settings/SettingsPage.tsx"));
const OperatorPage = lazy(() => import("../operator/OperatorPage.tsx"));
const SharePage = lazy(() => import("../share/SharePage.tsx"));
const BotDialog = lazy(() => import("../rail/BotDialog.tsx"));
const loadPalette = () => import("./Palette.tsx");
const Palette = lazy(loadPalette);
const ShortcutsDialog = lazy(() => import("./ShortcutsDialog.tsx"));

const PALETTE_AFTER_MS = 2_000;

function Bars({ openTrading }: { openTrading: () => void }) {
  const t = useText();
  const unsandboxed = useStore(directory, (all) => all.owner?.sandboxed === false);
  const unreachable = useStore(directory, (all) => all.trouble === "unreachable");
  const outdated = useStore(build, (all) => all.outdated);
  return (
    <div className={css.bars}>
      {unsandboxed && (
        <div className={css.bar} role="alert" data-bar="unsandboxed">
          <ShieldAlert size={16} aria-hidden="true" />
          {t.unsandboxed}
        </div>
      )}
      <TradingBar open={openTrading} />
      {unreachable && (
        <div className={`${css.bar} ${css.quietBar}`} role="status">
          <CloudOff size={16} aria-hidden="true" />
          {t.serverUnreachable}
        </div>
      )}
      {outdated && (
        <div className={`${css.bar} ${css.quietBar}`} role="status" data-bar="outdated">
          <RefreshCw size={16} aria-hidden="true" />
          {t.newerPage}
          <Button onClick={() => location.reload()}>{t.reload}</Button>
        </div>
      )}
    </div>
  );
}

interface PageProps {
  threadId: string | null;
  actions: RailActions;
  openRail: () => void;
  openThread: (id: string) => void;
  goHome: () => void;
}

function Page({ threadId, actions, openRail, openThread, goHome }: PageProps) {
  const { bots, threads, trouble } = useStore(directory);
  const thread = threads?.find((one) => one.id === threadId);
  const bot = bots?.find((one) => one.id === thread?.bot_id);
  const { editBot } = actions;
  const openBotSettings = useCallback(() => bot !== undefined && editBot(bot), [bot, editBot]);
  if (thread !== undefined && bot !== undefined) {
    return (
      <ThreadPage
        key={thread.id}
        thread={thread}
        bot={bot}
        openRail={openRail}
        openBotSettings={openBotSettings}
        deleted={goHome}
      />
    );
  }
  if (threadId !== null && threads !== null && trouble !== "unreachable")
    return <Missing openRail={openRail} />;
  return (
    <Welcome actions={actions} openRail={openRail} openThread={openThread} waiting={threadId !== null} />
  );
}

export function App() {
  const t = useText();
  const [location, navigate] = useLocation();
  const [, route] = useRoute("/t/:id");
  const [named, settings] = useRoute("/settings/:section?");
  const [onRoutines] = useRoute("/routines");
  const [formerUsage] = useRoute("/usage");
  const [shares] = useRoute("/share");
  const [operates, operating] = useRoute("/operator/:tab?/:owner?");
  const inSettings = named || formerUsage;
  const [behind, setBehind] = useState("/");
  const [railOpen, setRailOpen] = useState(false);
  const [dialog, setDialog] = useState<{ bot: Bot | null } | null>(null);
  const [above, setAbove] = useState<"palette" | "shortcuts" | null>(null);
  const listHidden = useStore(preferences, (all) => all.listHidden);
  const threadId = route?.id ?? null;
  const known = useStore(directory, ({ threads }) => threads?.some(({ id }) => id === threadId) === true);
  const undoable = useStore(removed, (all) => all.thread);

  const newThread = useCallback(
    (botId: string) => {
      setRailOpen(false);
      openNewThread(botId).then(
        (thread) => navigate(`/t/${thread.id}`),
        (reason: unknown) => directory.setState({ trouble: problemOf(reason) }),
      );
    },
    [navigate],
  );

  const actions = useMemo<RailActions>(
    () => ({
      newThread,
      newBot: () => setDialog({ bot: null }),
      editBot: (bot) => setDialog({ bot }),
      chosen: () => setRailOpen(false),
    }),
    [newThread],
  );

  useEffect(() => {
    if (threadId === null && !inSettings && !onRoutines && !shares && !operates) document.title = "Berth";
  }, [threadId, inSettings, onRoutines, shares, operates]);

  // Where the settings were opened from is where leaving them leads.
  if (!inSettings && location !== behind) setBehind(location);
  const leaveSettings = useCallback(() => navigate(behind), [navigate, behind]);
  const openRail = useCallback(() => openList(() => setRailOpen(true)), []);
  const openThread = useCallback((id: string) => navigate(`/t/${id}`), [navigate]);

  // Whoever calls it types on at once: it is there before it is called.
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette(), PALETTE_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  useShortcuts();
  usePageCommands({
    threadId,
    openSheet: () => setRailOpen(true),
    go: navigate,
    newThread,
    newBot: actions.newBot,
    openPalette: () => setAbove("palette"),
    openShortcuts: () => setAbove("shortcuts"),
  });

  return (
    <div className={css.app}>
      <a className={css.skip} href="#main">
        {t.skipToConversation}
      </a>
      <Bars openTrading={() => navigate("/settings/trading")} />
      <div className={css.columns} data-list={listHidden ? "hidden" : "shown"}>
        <nav className={css.rail} aria-label={t.threads}>
          <Rail current={threadId} actions={actions} collapse={closeList} />
        </nav>
        <main id="main" className={css.main}>
          {inSettings && (
            <LazyPart>
              <SettingsPage
                name={formerUsage ? "usage" : settings?.section}
                openRail={openRail}
                leave={leaveSettings}
                newBot={actions.newBot}
                editBot={actions.editBot}
              />
            </LazyPart>
          )}
          {onRoutines && (
            <LazyPart>
              <RoutinesPage openRail={openRail} />
            </LazyPart>
          )}
          {shares && (
            <LazyPart>
              <SharePage openRail={openRail} />
            </LazyPart>
          )}
          {operates && (
            <LazyPart>
              <OperatorPage tab={operating.tab} ownerId={operating.owner} openRail={openRail} />
            </LazyPart>
          )}
          {!inSettings && !onRoutines && !shares && !operates && (
            <Page
              threadId={threadId}
              actions={actions}
              openRail={openRail}
              openThread={openThread}
              goHome={() => navigate("/")}
            />
          )}
        </main>
        {known && threadId !== null && <ComputerColumn threadId={threadId} />}
      </div>
      <div role="status">
        {undoable !== null && (
          <LazyPart key={undoable.id} close={() => removed.setState({ thread: null })}>
            <UndoToast thread={undoable} back={openThread} />
          </LazyPart>
        )}
      </div>
      {railOpen && (
        <LazyPart close={() => setRailOpen(false)}>
          <Sheet title={t.threads} close={() => setRailOpen(false)}>
            <Rail current={threadId} actions={actions} />
          </Sheet>
        </LazyPart>
      )}
      {above !== null && (
        <LazyPart key={above} close={() => setAbove(null)}>
          {above === "palette" ? (
            <Palette newThread={newThread} close={() => setAbove(null)} />
          ) : (
            <ShortcutsDialog close={() => setAbove(null)} />
          )}
        </LazyPart>
      )}
      {dialog !== null && (
        <LazyPart close={() => setDialog(null)}>
          <BotDialog bot={dialog.bot} close={() => setDialog(null)} made={(bot) => newThread(bot.id)} />
        </LazyPart>
      )}
    </div>
  );
}
