/** Signing in and the ways to: one function a route. */
import type {
  AccessJoin,
  InvitationList,
  InvitationMade,
  OidcStart,
  OidcStarted,
  OwnerDelete,
  OwnerDeleted,
  Passkey,
  PasskeyCreate,
  PasskeyOptions,
  RecoveryCodes,
  SessionList,
  SignedIn,
  SignInWays,
  SignUpPasskey,
  TokenCreate,
  TokenList,
  TokenMade,
  WaysIn,
} from "../contracts.ts";
import { ask } from "./http.ts";
import { atPerson } from "./whose.ts";

type Response = Record<string, unknown>;

export const getSignInWays = () => ask<SignInWays>("GET", atPerson("sign-in"));
export const askForPasskey = () => ask<PasskeyOptions>("POST", atPerson("sign-in", "passkey", "options"));
export const signInByPasskey = (response: Response) =>
  ask<SignedIn>("POST", atPerson("sign-in", "passkey"), { response });
export const askForNewPerson = (body: SignUpPasskey) =>
  ask<PasskeyOptions>("POST", atPerson("sign-up", "passkey", "options"), body);
export const signUpByPasskey = (response: Response) =>
  ask<SignedIn>("POST", atPerson("sign-up", "passkey"), { response });
export const startOidc = (body: OidcStart) => ask<OidcStarted>("POST", atPerson("sign-in", "oidc"), body);
export const joinByAccess = (body: AccessJoin) => ask<SignedIn>("POST", atPerson("sign-in", "access"), body);
export const recover = (code: string) => ask<SignedIn>("POST", atPerson("sign-in", "recovery"), { code });
export const getSessions = () => ask<SessionList>("GET", atPerson("sessions"));
export const endSession = (id: string) => ask<void>("DELETE", atPerson("sessions", id));
export const endOtherSessions = () => ask<void>("POST", atPerson("sessions", "end-others"));
export const getTokens = () => ask<TokenList>("GET", atPerson("tokens"));
export const createToken = (body: TokenCreate) => ask<TokenMade>("POST", atPerson("tokens"), body);
export const removeToken = (id: string) => ask<void>("DELETE", atPerson("tokens", id));
export const signOut = () => ask<void>("POST", atPerson("sign-out"));

export const deleteAccount = (body: OwnerDelete) =>
  ask<OwnerDeleted>("POST", atPerson("me", "delete"), { ...body, account: true });
export const renameMyself = (name: string) => ask<WaysIn>("PATCH", atPerson("ways-in"), { name });
export const getWaysIn = () => ask<WaysIn>("GET", atPerson("ways-in"));
export const askForAnotherPasskey = () => ask<PasskeyOptions>("POST", atPerson("passkeys", "options"));
export const addPasskey = (body: PasskeyCreate) => ask<Passkey>("POST", atPerson("passkeys"), body);
export const renamePasskey = (id: string, name: string) =>
  ask<Passkey>("PATCH", atPerson("passkeys", id), { name });
export const removePasskey = (id: string) => ask<void>("DELETE", atPerson("passkeys", id));
export const makeRecoveryCodes = () => ask<RecoveryCodes>("POST", atPerson("recovery-codes"));

export const getInvitations = () => ask<InvitationList>("GET", atPerson("operator", "invitations"));
export const invite = () => ask<InvitationMade>("POST", atPerson("operator", "invitations"));
export const takeBackInvitation = (id: string) =>
  ask<void>("DELETE", atPerson("operator", "invitations", id));
