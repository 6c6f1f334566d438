/** Workspaces: which one belongs to, who belongs to the one that is shown, and how people come. */
import type {
  InvitedTo,
  Member,
  MemberInvitationList,
  MemberInvitationMade,
  MemberList,
  Membership,
  MembershipList,
} from "../contracts.ts";
import { ask } from "./http.ts";
import { at, atPerson } from "./whose.ts";

export type Role = Member["role"];

export const getMemberships = () => ask<MembershipList>("GET", atPerson("owners"));
export const createWorkspace = (name: string) => ask<Membership>("POST", atPerson("owners"), { name });
export const lookAtInvitation = (code: string) =>
  ask<InvitedTo>("POST", atPerson("invitations", "look"), { code });
export const acceptInvitation = (code: string) =>
  ask<Membership>("POST", atPerson("invitations", "accept"), { code });

export const getMembers = () => ask<MemberList>("GET", at("members"));
export const changeRole = (id: string, role: Role) => ask<Member>("PATCH", at("members", id), { role });
export const removeMember = (id: string) => ask<void>("DELETE", at("members", id));
export const leaveWorkspace = () => ask<void>("POST", at("members", "leave"));
export const getMemberInvitations = () => ask<MemberInvitationList>("GET", at("members", "invitations"));
export const inviteMember = (role: Role) =>
  ask<MemberInvitationMade>("POST", at("members", "invitations"), { role });
export const takeBackMemberInvitation = (id: string) => ask<void>("DELETE", at("members", "invitations", id));
