/**
 * The first things that somebody can try by one click. Without a model they are the lines that a person would type;
 * a model is asked for the same in words. Each shows another part of what Berth is.
 */
import type { FirstStep, Trading } from "../contracts.ts";
import type { Dictionary } from "../i18n/text.ts";

export const STEPS = ["command", "file", "order"] as const;
export type Step = (typeof STEPS)[number];

const LINES: Record<Step, string> = {
  command: "$ . /etc/os-release; echo $PRETTY_NAME; python3 --version; nproc; df -h /workspace",
  file: [
    "/write sine.py",
    "import math",
    "",
    'points = " ".join(f"{x},{60 - 50 * math.sin(x / 20):.1f}" for x in range(400))',
    'with open("sine.svg", "w") as picture:',
    `    picture.write(f'''<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 120">`,
    `<polyline fill="none" stroke="#2f62c9" stroke-width="2" points="{points}"/></svg>''')`,
    "$ python3 sine.py",
    "/export sine.svg",
  ].join("\n"),
  // The paper market moves by less than two per cent about 60,000, so this is filled at once.
  order: "/orders\nbuy 0.001 BTC 61200 Ioc",
};

export const firstMessage = (step: Step, manual: boolean, t: Dictionary): string =>
  manual ? LINES[step] : t.firstSteps[step].ask;

/** What somebody has not tried and can. */
export const openSteps = (taken: readonly FirstStep[], trading: Trading | null): readonly Step[] =>
  STEPS.filter((step) => !taken.includes(step) && standingOf(step, trading) !== "hidden");

/** `hidden` where an order would not stay on paper, `later` as long as that is not known. */
export function standingOf(step: Step, trading: Trading | null): "ready" | "later" | "hidden" {
  if (step !== "order") return "ready";
  if (trading === null) return "later";
  return trading.network === "paper" && trading.switch === "active" ? "ready" : "hidden";
}
