/** The server's resources about notices, apart from the others: the first page needs none of them. */
import type {
  NoticeChannel,
  NoticeDeliveries,
  NoticeSettings,
  Notices,
  SubscriptionCreate,
  WebhookMade,
} from "../contracts.ts";
import { ask } from "./http.ts";
import { at } from "./whose.ts";

export const getNotices = () => ask<Notices>("GET", at("notices"));
export const chooseNotices = (settings: NoticeSettings) =>
  ask<Notices>("PUT", at("notices", "settings"), settings);
export const getNoticeDeliveries = () => ask<NoticeDeliveries>("GET", at("notices", "deliveries"));
export const addSubscription = (made: SubscriptionCreate) =>
  ask<Notices>("POST", at("notices", "subscriptions"), made);
export const removeSubscription = (id: string) => ask<void>("DELETE", at("notices", "subscriptions", id));
export const setWebhook = (url: string) => ask<WebhookMade>("PUT", at("notices", "webhook"), { url });
export const removeWebhook = () => ask<void>("DELETE", at("notices", "webhook"));
export const askEmail = (address: string) => ask<Notices>("PUT", at("notices", "email"), { address });
export const confirmEmail = (code: string) =>
  ask<Notices>("POST", at("notices", "email", "confirm"), { code });
export const removeEmail = () => ask<void>("DELETE", at("notices", "email"));
export const testNotice = (channel: NoticeChannel) =>
  ask<NoticeDeliveries>("POST", at("notices", "test"), { channel });
