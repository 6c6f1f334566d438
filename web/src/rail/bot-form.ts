/**
 * What a person enters about a bot, and what of it is sent. A key that is left empty is left as it is, and
 * what a provider has no use for is not sent. The limits are the server's; it checks them again.
 */
import type { Bot, BotChange, BotCreate, Effort, Provider } from "../contracts.ts";
import type { Dictionary } from "../i18n/text.ts";

export const ROUNDS = 40;
export const ROUNDS_MAX = 200;

export interface BotForm {
  readonly name: string;
  readonly instructions: string;
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
  readonly removeKey: boolean;
  readonly effort: Effort | "none";
  readonly temperature: string;
  readonly rounds: string;
}

export type BotFormErrors = Partial<Record<keyof BotForm, string>>;

/** The provider's own address, where it is asked over HTTP. */
export const ADDRESSES: Partial<Record<Provider, string>> = {
  openai: "https://api.openai.com/v1",
  openai_responses: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com",
};

export const hasAddress = (provider: Provider): boolean => provider in ADDRESSES;
export const hasModel = (provider: Provider): boolean => hasAddress(provider) || provider === "workers_ai";
export const temperatureMax = (provider: Provider): number => (provider === "anthropic" ? 1 : 2);

export function formOf(bot: Bot | null, t: Dictionary): BotForm {
  return {
    name: bot?.name ?? t.botFirstName,
    instructions: bot?.instructions ?? "",
    provider: bot?.model.provider ?? "manual",
    baseUrl: bot?.model.base_url ?? "",
    model: bot?.model.model ?? "",
    apiKey: "",
    removeKey: false,
    effort: bot?.model.effort ?? "none",
    temperature: bot?.model.temperature?.toString() ?? "",
    rounds: (bot?.rounds ?? ROUNDS).toString(),
  };
}

/** Whether a stored key stays with what is entered: it belongs to one provider and address. */
export function keepsKey(bot: Bot | null, form: BotForm): boolean {
  const same = bot?.model.provider === form.provider && (bot.model.base_url ?? "") === form.baseUrl.trim();
  return same && (bot?.model.has_key ?? false);
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}

function isBetween(text: string, least: number, most: number): boolean {
  const value = Number(text);
  return text.trim() !== "" && value >= least && value <= most;
}

export function errorsOf(form: BotForm, t: Dictionary): BotFormErrors {
  const errors: BotFormErrors = {};
  const address = form.baseUrl.trim();
  if (form.name.trim() === "") errors.name = t.nameNeeded;
  if (hasAddress(form.provider) && address !== "" && !isWebAddress(address)) errors.baseUrl = t.baseUrlNeeded;
  if (hasModel(form.provider)) {
    const most = temperatureMax(form.provider);
    if (form.model.trim() === "") errors.model = t.modelNeeded;
    if (form.temperature.trim() !== "" && !isBetween(form.temperature, 0, most))
      errors.temperature = t.temperatureNeeded(most.toString());
  }
  if (!(isBetween(form.rounds, 1, ROUNDS_MAX) && Number.isInteger(Number(form.rounds))))
    errors.rounds = t.roundsNeeded(ROUNDS_MAX.toString());
  return errors;
}

function keyOf(form: BotForm): { api_key?: string } {
  const key = form.apiKey.trim();
  if (key !== "") return { api_key: key };
  return form.removeKey ? { api_key: "" } : {};
}

function modelOf(form: BotForm): NonNullable<BotCreate["model"]> {
  const { provider } = form;
  if (!hasModel(provider)) return { provider };
  const temperature = form.temperature.trim();
  return {
    provider,
    model: form.model.trim(),
    effort: form.effort === "none" ? null : form.effort,
    temperature: temperature === "" ? null : Number(temperature),
    ...(hasAddress(provider) ? { base_url: form.baseUrl.trim(), ...keyOf(form) } : {}),
  };
}

export function bodyOf(form: BotForm): BotCreate & BotChange {
  return {
    name: form.name.trim(),
    instructions: form.instructions,
    rounds: Number(form.rounds),
    model: modelOf(form),
  };
}
