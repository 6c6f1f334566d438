/** The archive of everything of the owner, and taking back a deletion of it. */
import type { Archive, Owner } from "../contracts.ts";
import { ask } from "./http.ts";
import { at } from "./whose.ts";

export const getArchive = () => ask<Archive>("GET", at("me", "archive"));
export const makeArchive = () => ask<Archive>("POST", at("me", "archive"));
export const removeArchive = () => ask<void>("DELETE", at("me", "archive"));
export const archiveFile = () => at("me", "archive", "content");
export const undeleteOwner = () => ask<Owner>("POST", at("me", "undelete"));
