/**
 * Whose Berth the page shows, as its address says: one's own, or a workspace under `/o/{owner id}`.
 *
 * It is decided once, when the page starts: another one is another address, and nothing of one stays in the other.
 */

const UNDER = /^\/o\/([A-Za-z0-9_-]{1,64})(?=\/|$)/;

/** The workspace that a path of the page names, if it does. */
export const workspaceIn = (path: string): string | null => UNDER.exec(path)?.[1] ?? null;

// Rules are tested where there is no page.
export const workspaceId = typeof location === "undefined" ? null : workspaceIn(location.pathname);

export const pageOf = (id: string | null): string => (id === null ? "" : `/o/${id}`);
/** What the addresses of this page stand under. */
export const pageBase = pageOf(workspaceId);

const joined = (parts: readonly string[]) => parts.map(encodeURIComponent).join("/");
/** A route of the person who asks, whatever the page shows. */
export const atPerson = (...parts: string[]) => `/api/${joined(parts)}`;
/** A route of the owner that the page shows. */
export const at = (...parts: string[]) => inOwner(atPerson(...parts));
/** The same for a path that names no owner. */
export const inOwner = (path: string): string =>
  workspaceId === null ? path : path.replace(/^\/api\//, `/api/owners/${workspaceId}/`);
