/** What operators ask and do. Nothing that is answered holds content. */
import type {
  Allowance,
  AuditCheck,
  AuditPage,
  BreakerRequest,
  CircuitChange,
  Circuits,
  EgressStanding,
  GrantCreate,
  OperatorOwner,
  OperatorOwners,
  Overview,
} from "../contracts.ts";
import { ask } from "./http.ts";
import { atPerson } from "./whose.ts";

export type Shown = "all" | "awake" | "banned" | "exempt" | "deleted";

const query = (fields: Record<string, string | number | undefined>) => {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
};

export const getOverview = () => ask<Overview>("GET", atPerson("operator", "overview"));
export const getOwners = (shown: Shown, find: string, before?: string) =>
  ask<OperatorOwners>("GET", `${atPerson("operator", "owners")}?${query({ shown, find, before })}`);
export const getOneOwner = (id: string) => ask<OperatorOwner>("GET", atPerson("operator", "owners", id));

const owner = (id: string, what: string) => atPerson("operator", "owners", id, what);
export const ban = (id: string, reason: string) => ask<EgressStanding>("PUT", owner(id, "ban"), { reason });
export const unban = (id: string) => ask<EgressStanding>("DELETE", owner(id, "ban"));
export const exempt = (id: string, reason: string) =>
  ask<EgressStanding>("PUT", owner(id, "exemption"), { reason });
export const endExemption = (id: string) => ask<EgressStanding>("DELETE", owner(id, "exemption"));
export const grant = (id: string, body: GrantCreate) => ask<Allowance>("POST", owner(id, "grants"), body);

export const changeCircuit = (name: string, change: CircuitChange) =>
  ask<Circuits>("PUT", atPerson("operator", "circuits", name), change);
export const tripBreaker = (body: BreakerRequest) =>
  ask<EgressStanding>("PUT", atPerson("operator", "breaker"), body);
export const resetBreaker = () => ask<EgressStanding>("DELETE", atPerson("operator", "breaker"));

export const getRecord = (ownerId: string, before?: number) =>
  ask<AuditPage>("GET", `${atPerson("operator", "audit")}?${query({ owner_id: ownerId, before })}`);
export const checkRecord = (after: number) =>
  ask<AuditCheck>("GET", `${atPerson("operator", "audit", "check")}?${query({ after })}`);
export const recordFile = atPerson("operator", "audit.jsonl");
