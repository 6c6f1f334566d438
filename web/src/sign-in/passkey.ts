/** What the browser does with passkeys, between the server's question and its answer. */
import { startAuthentication, startRegistration } from "@simplewebauthn/browser";
import * as api from "../api/sign-in.ts";
import type { Passkey, PasskeyOptions, SignedIn } from "../contracts.ts";
import { AlreadyThere, Declined } from "./attempt.ts";

type Creation = Parameters<typeof startRegistration>[0]["optionsJSON"];
type Request = Parameters<typeof startAuthentication>[0]["optionsJSON"];
type Response = Record<string, unknown>;

async function asked(question: () => Promise<unknown>): Promise<Response> {
  try {
    return (await question()) as Response;
  } catch (reason) {
    if (!(reason instanceof Error)) throw reason;
    if (reason.name === "InvalidStateError") throw new AlreadyThere(reason.message);
    // Whatever a browser has against it, a person can only try again or take another way.
    throw new Declined(reason.message);
  }
}

const created = ({ options }: PasskeyOptions) =>
  asked(() => startRegistration({ optionsJSON: options as unknown as Creation }));

export async function signIn(): Promise<SignedIn> {
  const { options } = await api.askForPasskey();
  const response = await asked(() => startAuthentication({ optionsJSON: options as unknown as Request }));
  return api.signInByPasskey(response);
}

export async function signUp(name: string, code: string): Promise<SignedIn> {
  return api.signUpByPasskey(await created(await api.askForNewPerson({ name, code })));
}

export async function addPasskey(name: string): Promise<Passkey> {
  return api.addPasskey({ name, response: await created(await api.askForAnotherPasskey()) });
}
