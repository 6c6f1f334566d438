/** Bots and their threads, newest first, with a mark on those that are at work or need somebody. */
import {
  Clock,
  GitBranch,
  Languages,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  Settings,
  SquarePen,
  Sun,
} from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Link, useRoute } from "wouter";
import { useStore } from "zustand";
import { directory, tellLocale } from "../app/directory.ts";
import { chooseTheme, preferences, THEMES, type Theme } from "../app/preferences.ts";
import type { Bot, Thread } from "../contracts.ts";
import { LOCALE_NAMES, LOCALES } from "../i18n/locale.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { moment } from "../ui/format.ts";
import { MenuButton } from "../ui/MenuButton.tsx";
import css from "./Rail.module.css";
import { runStanding } from "./run-standing.ts";
import { SearchField } from "./SearchField.tsx";

const SearchResults = lazy(() => import("./SearchResults.tsx"));

export interface RailActions {
  newThread: (botId: string) => void;
  newBot: () => void;
  editBot: (bot: Bot) => void;
  /** A thread was chosen; a sheet that holds the rail closes. */
  chosen: () => void;
}

const MARKED = new Set(["running", "failed", "waiting", "attention"]);

function ThreadRow({ thread, current, chosen }: { thread: Thread; current: boolean; chosen: () => void }) {
  const { text: t, locale } = useLanguage();
  const now = useNow(false);
  const state = thread.run ? runStanding(thread.run.state, t) : null;
  const facts = [state?.word, moment(thread.updated_ms, now, locale)].filter(Boolean).join(" · ");
  return (
    <li>
      <Link
        href={`/t/${thread.id}`}
        className={css.thread}
        aria-current={current ? "page" : undefined}
        onClick={chosen}
      >
        <span className={css.title}>
          {thread.branch_of && <GitBranch size={12} aria-label={t.branch} />}
          {thread.routine_id && <Clock size={12} aria-label={t.routine.one} />} {thread.title || t.untitled}
        </span>
        <span className={css.facts}>{facts}</span>
        {state !== null && MARKED.has(state.tone) && (
          <span className={css.dot} data-tone={state.tone} aria-hidden="true" />
        )}
      </Link>
    </li>
  );
}

interface BotGroupProps {
  bot: Bot;
  threads: readonly Thread[];
  current: string | null;
  actions: RailActions;
}

function BotGroup({ bot, threads, current, actions }: BotGroupProps) {
  const { text: t } = useLanguage();
  return (
    <section className={css.bot} aria-label={bot.name}>
      <div className={css.botHead}>
        <h2>{bot.name}</h2>
        <Button icon look="quiet" aria-label={t.botSettingsOf(bot.name)} onClick={() => actions.editBot(bot)}>
          <Settings size={15} aria-hidden="true" />
        </Button>
        <Button
          icon
          look="quiet"
          aria-label={t.newThreadWith(bot.name)}
          onClick={() => actions.newThread(bot.id)}
        >
          <SquarePen size={15} aria-hidden="true" />
        </Button>
      </div>
      {threads.length === 0 ? (
        <p className={css.none}>{t.noThreads}</p>
      ) : (
        <ul>
          {threads.map((thread) => (
            <ThreadRow
              key={thread.id}
              thread={thread}
              current={thread.id === current}
              chosen={actions.chosen}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

const THEME_ICONS: Record<Theme, React.ReactNode> = {
  system: <Monitor size={17} aria-hidden="true" />,
  light: <Sun size={17} aria-hidden="true" />,
  dark: <Moon size={17} aria-hidden="true" />,
};

function Choosers() {
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

interface PlaceLinkProps {
  href: string;
  icon: LucideIcon;
  chosen: () => void;
  children: React.ReactNode;
}

function PlaceLink({ href, icon: Icon, chosen, children }: PlaceLinkProps) {
  const [here] = useRoute(`${href}/*?`);
  return (
    <Link href={href} className={css.place} aria-current={here ? "page" : undefined} onClick={chosen}>
      <Icon size={17} aria-hidden="true" />
      {children}
    </Link>
  );
}

export function Rail({ current, actions }: { current: string | null; actions: RailActions }) {
  const { text: t } = useLanguage();
  const { owner, bots, threads } = useStore(directory);
  const [query, setQuery] = useState("");
  return (
    <div className={css.rail}>
      <div className={css.head}>
        <Link href="/" className={css.brand} onClick={actions.chosen}>
          <img src="/icon.svg" alt="" width={24} height={24} />
          Berth
        </Link>
        <Button icon look="quiet" aria-label={t.newBot} onClick={actions.newBot}>
          <Plus size={18} aria-hidden="true" />
        </Button>
      </div>
      <SearchField query={query} change={setQuery} />
      {query.trim() !== "" && (
        <div className={css.list}>
          <Suspense>
            <SearchResults query={query.trim()} threads={threads ?? []} chosen={actions.chosen} />
          </Suspense>
        </div>
      )}
      <div className={css.list} hidden={query.trim() !== ""}>
        {bots?.map((bot) => (
          <BotGroup
            key={bot.id}
            bot={bot}
            threads={(threads ?? []).filter((thread) => thread.bot_id === bot.id)}
            current={current}
            actions={actions}
          />
        ))}
      </div>
      <div className={css.foot}>
        <PlaceLink href="/routines" icon={Clock} chosen={actions.chosen}>
          {t.routine.title}
        </PlaceLink>
        <PlaceLink href="/settings" icon={Settings} chosen={actions.chosen}>
          {t.settings}
        </PlaceLink>
        <div className={css.last}>
          {owner !== null && <span className={css.version}>{t.version(owner.version)}</span>}
          <Choosers />
        </div>
      </div>
    </div>
  );
}
