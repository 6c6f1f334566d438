/** What the person may do in the owner that the page shows: what they may not is not offered. The server decides. */
import { useStore } from "zustand";
import { workspaceId } from "../api/whose.ts";
import type { Owner } from "../contracts.ts";
import { showsOnly } from "../embed/mode.ts";
import { directory } from "./directory.ts";

export type Right = "chat" | "approve" | "manage";
type Role = NonNullable<Owner["role"]>;

const GIVES: Record<Role, ReadonlySet<Right>> = {
  owner: new Set(["chat", "approve", "manage"]),
  member: new Set(["chat"]),
  viewer: new Set(),
};

/** Until it is known: what is one's own is, and of a workspace nothing is offered yet. */
export const mayAs = (role: Role | undefined, right: Right): boolean =>
  role === undefined ? workspaceId === null : GIVES[role].has(right);

export function useMay(right: Right): boolean {
  const role = useStore(directory, (all) => all.owner?.role);
  return !showsOnly && mayAs(role, right);
}

/** Whether it is the role that stands in the way, which the page then says; not so before the role is known. */
export function useLacks(right: Right): boolean {
  const role = useStore(directory, (all) => all.owner?.role);
  return !showsOnly && role !== undefined && !mayAs(role, right);
}
