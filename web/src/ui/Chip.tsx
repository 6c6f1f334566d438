/** A state: icon, word and tint together, never colour alone. */
import clsx from "clsx";
import {
  CircleCheck,
  type LucideIcon,
  MessageCircleQuestion,
  OctagonX,
  Square,
  TriangleAlert,
} from "lucide-react";
import type { ReactNode } from "react";
import css from "./Chip.module.css";

export type Tone = "running" | "finished" | "failed" | "stopped" | "attention" | "waiting";

const ICONS: Record<Exclude<Tone, "running">, LucideIcon> = {
  finished: CircleCheck,
  failed: OctagonX,
  stopped: Square,
  attention: TriangleAlert,
  waiting: MessageCircleQuestion,
};

export function ToneIcon({ tone, size = 13 }: { tone: Tone; size?: number }) {
  if (tone === "running") return <span className={css.ring} aria-hidden="true" />;
  const Icon = ICONS[tone];
  return <Icon size={size} strokeWidth={2.25} aria-hidden="true" />;
}

export function Chip({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={clsx(css.chip, css[tone])} data-tone={tone}>
      <ToneIcon tone={tone} />
      {children}
    </span>
  );
}
