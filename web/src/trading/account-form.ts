/** What is typed to connect an account, and what is said of one that is connected. */
import type { TradingAccount } from "../contracts.ts";
import type { Locale } from "../i18n/locale.ts";
import type { Dictionary } from "../i18n/text.ts";
import { dateAndTime } from "../ui/format.ts";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const KEY = /^(0x)?[0-9a-fA-F]{64}$/;

export const isAddress = (typed: string) => ADDRESS.test(typed.trim());
/** Without a key the account is only watched. */
export const isKey = (typed: string) => typed.trim() === "" || KEY.test(typed.trim());

/** `0x0d1d…1414`, for where the whole of it stands near. */
export const short = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** Whether orders could be signed for it at this moment. */
export const mayTrade = (account: TradingAccount, now: number): boolean =>
  !account.watch_only && (account.agent_expires_ms ?? Number.POSITIVE_INFINITY) > now;

export function agentWord(account: TradingAccount, now: number, t: Dictionary, locale: Locale): string {
  if (account.watch_only) return t.trading.watchOnly;
  const end = account.agent_expires_ms;
  if (end === null) return t.trading.agentForever;
  return end <= now ? t.trading.agentExpired : t.trading.agentUntil(dateAndTime(end, locale));
}
