/** What a message may name instead of its bot's model and effort. The server checks it again. */
import type { Bot, Effort, Provider } from "../contracts.ts";

export const MODEL_NAME_MAX = 200;

export interface Choice {
  readonly model: string | null;
  readonly effort: Effort | null;
}

export const AS_THE_BOT: Choice = { model: null, effort: null };

const WITHOUT_MODELS: readonly Provider[] = ["manual", "scripted"];

export const hasModels = (bot: Bot): boolean => !WITHOUT_MODELS.includes(bot.model.provider ?? "manual");

/** The names that are known of this provider: those of the owner's bots. */
export function modelsOf(bot: Bot, bots: readonly Bot[]): string[] {
  const same = bots.filter((one) => one.model.provider === bot.model.provider);
  return [...new Set(same.map((one) => one.model.model ?? ""))].filter(
    (name) => name !== "" && name !== bot.model.model,
  );
}

/** What is told of a message: its model, its effort or both; null where it is as its bot is. */
export function shownChoice(
  choice: { readonly model?: string | null; readonly effort?: Effort | null },
  efforts: Readonly<Record<Effort, string>>,
): string | null {
  const parts = [choice.model, choice.effort ? efforts[choice.effort] : null].filter(Boolean);
  return parts.length === 0 ? null : parts.join(" · ");
}
