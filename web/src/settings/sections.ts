/** The sections of the settings in the order of their list. What one shows is loaded when it is looked at. */
import {
  Bell,
  Bot as BotIcon,
  ChartCandlestick,
  ChartColumn,
  Database,
  type LucideIcon,
  Monitor,
  SlidersHorizontal,
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
}

export const SECTIONS: readonly Section[] = [
  { id: "general", icon: SlidersHorizontal, Body: lazy(() => import("./GeneralSection.tsx")) },
  { id: "notices", icon: Bell, Body: lazy(() => import("../notices/NoticesSettings.tsx")) },
  { id: "bots", icon: BotIcon, Body: lazy(() => import("./BotsSection.tsx")) },
  { id: "computer", icon: Monitor, Body: lazy(() => import("./ComputerSection.tsx")) },
  { id: "trading", icon: ChartCandlestick, Body: lazy(() => import("../trading/TradingSettings.tsx")) },
  { id: "usage", icon: ChartColumn, Body: lazy(() => import("../usage/UsageSettings.tsx")), wide: true },
  { id: "data", icon: Database, Body: lazy(() => import("./DataSection.tsx")) },
];
