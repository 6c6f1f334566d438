/** The palette: everything that can be done and gone to, found by typing. */

import { Dialog as Base } from "@base-ui/react/dialog";
import { Bot, MessageSquare, Search } from "lucide-react";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { useStore } from "zustand";
import { useLanguage } from "../i18n/text.ts";
import { sectionsFor } from "../settings/sections.ts";
import { type Choice, Choices, choiceId, moved } from "../ui/Choices.tsx";
import overlay from "../ui/Overlay.module.css";
import { COMMAND_ICONS } from "./command-icons.ts";
import { COMMANDS, handlers } from "./commands.ts";
import { directory } from "./directory.ts";
import css from "./Palette.module.css";
import { type Entry, found } from "./palette-entries.ts";
import { useMay } from "./rights.ts";

type PaletteEntry = Entry & Choice & { readonly act: () => void };

/** All there is, in the order in which it is shown before anything is typed. */
function useEntries(newThread: (botId: string) => void): readonly PaletteEntry[] {
  const { text: t } = useLanguage();
  const { bots, threads } = useStore(directory);
  const can = useStore(handlers);
  const [, navigate] = useLocation();
  const manages = useMay("manage");
  const chats = useMay("chat");
  return useMemo(() => {
    const commands = COMMANDS.flatMap(({ id, keys, slash }) => {
      const act = can[id];
      if (act === undefined || id === "palette") return [];
      return [{ id, icon: COMMAND_ICONS[id], label: t.pageCommands[id], also: slash ?? "", keys, act }];
    });
    const rows = (threads ?? []).map((thread) => ({
      id: `thread:${thread.id}`,
      icon: MessageSquare,
      label: thread.title || t.untitled,
      detail: bots?.find((bot) => bot.id === thread.bot_id)?.name,
      act: () => navigate(`/t/${thread.id}`),
    }));
    const begin = (chats ? (bots ?? []) : []).map((bot) => ({
      id: `bot:${bot.id}`,
      icon: Bot,
      label: t.newThreadWith(bot.name),
      act: () => newThread(bot.id),
    }));
    const sections = sectionsFor(manages).map(({ id, icon }) => ({
      id: `settings:${id}`,
      icon,
      label: t.settingsSections[id].title,
      detail: t.settings,
      also: `${t.settings} ${t.settingsSections[id].about}`,
      act: () => navigate(`/settings/${id}`),
    }));
    return [...commands, ...rows.slice(0, RECENT), ...begin, ...sections, ...rows.slice(RECENT)];
  }, [bots, threads, can, chats, manages, navigate, newThread, t]);
}

const RECENT = 5;

interface PaletteProps {
  newThread: (botId: string) => void;
  close: () => void;
}

export default function Palette({ newThread, close }: PaletteProps) {
  const { text: t } = useLanguage();
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const list = useId();
  const entries = useEntries(newThread);
  const shown = useMemo(() => found(entries, query), [entries, query]);
  const choose = (index: number) => {
    const entry = shown[index];
    if (entry === undefined) return;
    close();
    entry.act();
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const next = moved(event.key, active, shown.length);
    if (next === null && event.key !== "Enter") return;
    event.preventDefault();
    if (next === null) choose(active);
    else setActive(next);
  };
  return (
    <Base.Root open onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className={overlay.shade} />
        <Base.Popup className={css.palette}>
          <Base.Title className="aside-visually">{t.pageCommands.palette}</Base.Title>
          <div className={css.field}>
            <Search size={17} aria-hidden="true" />
            <input
              type="text"
              role="combobox"
              aria-label={t.pageCommands.palette}
              aria-expanded={shown.length > 0}
              aria-controls={list}
              aria-autocomplete="list"
              aria-activedescendant={shown.length > 0 ? choiceId(list, active) : undefined}
              placeholder={t.palettePlaceholder}
              autoComplete="off"
              spellCheck={false}
              value={query}
              onChange={(event) => {
                setQuery(event.target.value);
                setActive(0);
              }}
              onKeyDown={press}
            />
          </div>
          {shown.length === 0 ? (
            <p className={css.none} role="status">
              {t.paletteNone}
            </p>
          ) : (
            <Choices
              id={list}
              label={t.pageCommands.palette}
              choices={shown}
              active={active}
              choose={choose}
              point={setActive}
              press={press}
            />
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
