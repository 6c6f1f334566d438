/** Bots and their threads, newest first, with a mark on those that are at work or need somebody. */

import {
  Clock,
  GitBranch,
  Keyboard,
  type LucideIcon,
  PanelLeftClose,
  Plus,
  Settings,
  SquarePen,
} from "lucide-react";
import { lazy, useState } from "react";
import { Link, useRoute } from "wouter";
import { useStore } from "zustand";
import { run } from "../app/commands.ts";
import { directory } from "../app/directory.ts";
import { useMay } from "../app/rights.ts";
import { isUnread, reading } from "../app/seen.ts";
import type { Bot, Thread } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { WorkspaceMenu } from "../members/WorkspaceMenu.tsx";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { moment } from "../ui/format.ts";
import { LazyPart } from "../ui/LazyPart.tsx";
import { Choosers } from "./Choosers.tsx";
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
  const mayAnswer = useMay("chat");
  const state = thread.run ? runStanding(thread.run.state, t, mayAnswer) : null;
  const unread = useStore(reading, (all) => isUnread(thread, all)) && !current;
  const facts = [state?.word, moment(thread.updated_ms, now, locale)].filter(Boolean).join(" · ");
  return (
    <li>
      <Link
        href={`/t/${thread.id}`}
        className={css.thread}
        aria-current={current ? "page" : undefined}
        onClick={chosen}
      >
        <span className={css.title} data-unread={unread || undefined}>
          {unread && <span className={css.unread} role="img" aria-label={t.unread} />}
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
  const manages = useMay("manage");
  const chats = useMay("chat");
  return (
    // A group, no landmark: bots may have the same name, and a page has few landmarks.
    <div role="group" className={css.bot} aria-label={bot.name}>
      <div className={css.botHead}>
        <h2>{bot.name}</h2>
        {manages && (
          <Button
            icon
            look="quiet"
            aria-label={t.botSettingsOf(bot.name)}
            onClick={() => actions.editBot(bot)}
          >
            <Settings size={15} aria-hidden="true" />
          </Button>
        )}
        {chats && (
          <Button
            icon
            look="quiet"
            aria-label={t.newThreadWith(bot.name)}
            onClick={() => actions.newThread(bot.id)}
          >
            <SquarePen size={15} aria-hidden="true" />
          </Button>
        )}
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
    </div>
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

interface RailProps {
  current: string | null;
  actions: RailActions;
  /** Given where the list can be put out of the way. */
  collapse?: () => void;
}

export function Rail({ current, actions, collapse }: RailProps) {
  const { text: t } = useLanguage();
  const { owner, bots, threads } = useStore(directory);
  const manages = useMay("manage");
  const [query, setQuery] = useState("");
  return (
    <div className={css.rail}>
      <div className={css.head}>
        <Link href="/" className={css.brand} onClick={actions.chosen}>
          <img src="/icon.svg" alt="" width={24} height={24} />
          <span>{owner?.name || "Berth"}</span>
        </Link>
        <WorkspaceMenu />
        {manages && (
          <Button icon look="quiet" aria-label={t.newBot} onClick={actions.newBot}>
            <Plus size={18} aria-hidden="true" />
          </Button>
        )}
        {collapse !== undefined && (
          <Button icon look="quiet" aria-label={t.hideThreads} data-list-button onClick={collapse}>
            <PanelLeftClose size={18} aria-hidden="true" />
          </Button>
        )}
      </div>
      <SearchField query={query} change={setQuery} />
      {query.trim() !== "" && (
        <div className={css.list}>
          <LazyPart>
            <SearchResults query={query.trim()} threads={threads ?? []} chosen={actions.chosen} />
          </LazyPart>
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
          <Button
            icon
            look="quiet"
            className={css.keyboard}
            aria-label={t.pageCommands.shortcuts}
            onClick={() => run("shortcuts")}
          >
            <Keyboard size={17} aria-hidden="true" />
          </Button>
          <Choosers />
        </div>
      </div>
    </div>
  );
}
