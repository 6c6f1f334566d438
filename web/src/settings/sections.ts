/** The sections of the settings in the order of their list. What one shows is loaded when it is looked at. */
import {
  Bell,
  Bot as BotIcon,
  ChartCandlestick,
  ChartColumn,
  Database,
  KeyRound,
  type LucideIcon,
  Monitor,
  SlidersHorizontal,
  Users,
} from "lucide-react";
import { type ComponentType, lazy } from "react";
import type { Bot } from "../contracts.ts";
import type { Dictionary } from "../i18n/text.ts";

export type SectionId = keyof Dictionary["settingsSections"];

/** What a section may ask the page for; most need nothing. */
export interface SectionProps {
  newBot: () => void;
  editBot: (bot: Bot) => void;
}

interface Section {
  readonly id: SectionId;
  readonly icon: LucideIcon;
  readonly Body: ComponentType<SectionProps>;
  /** Its tables need more than the width of a form. */
  readonly wide?: true;
  /** Only who manages the owner has anything to do there. */
  readonly managed?: true;
}

const SECTIONS: readonly Section[] = [
  { id: "general", icon: SlidersHorizontal, Body: lazy(() => import("./GeneralSection.tsx")) },
  { id: "signIn", icon: KeyRound, Body: lazy(() => import("../sign-in/SignInSection.tsx")) },
  { id: "members", icon: Users, Body: lazy(() => import("../members/MembersSection.tsx")) },
  { id: "notices", icon: Bell, Body: lazy(() => import("../notices/NoticesSettings.tsx")), managed: true },
  { id: "bots", icon: BotIcon, Body: lazy(() => import("./BotsSection.tsx")), managed: true },
  { id: "computer", icon: Monitor, Body: lazy(() => import("./ComputerSection.tsx")), managed: true },
  {
    id: "trading",
    icon: ChartCandlestick,
    Body: lazy(() => import("../trading/TradingSettings.tsx")),
    managed: true,
  },
  { id: "usage", icon: ChartColumn, Body: lazy(() => import("../usage/UsageSettings.tsx")), wide: true },
  { id: "data", icon: Database, Body: lazy(() => import("./DataSection.tsx")), managed: true },
];

/** Those that there is something to do in, for who manages the owner or does not. */
export const sectionsFor = (manages: boolean): readonly Section[] =>
  manages ? SECTIONS : SECTIONS.filter((one) => one.managed !== true);

/** The section of this name that only who manages the owner has. */
export const managedSection = (name: string | undefined): SectionId | undefined =>
  SECTIONS.find((one) => one.id === name && one.managed === true)?.id;
