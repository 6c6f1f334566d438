/** Signing in at the pretended Berth: its person always is, and what they have is made up. */
import type { SignInWays, TokenCreate, TokenMade, WaysIn } from "../../src/contracts.ts";
import { type Answer, type Call, ok } from "./answers.ts";

const DAY_MS = 86_400_000;
const gone: Answer = { status: 204, body: "" };

const ways: SignInWays = { ways: ["passkey"], sign_up: "invited", first: false, oidc_name: "" };

const waysIn = (now: number): WaysIn => ({
  ...{ person_id: "local", name: "Ada", operator: true, recovery_codes_left: 3 },
  passkeys: [
    {
      id: "a",
      name: "Firefox, Linux",
      backed_up: false,
      created_ms: now - 9 * DAY_MS,
      used_ms: now - DAY_MS,
    },
    { id: "b", name: "Phone", backed_up: true, created_ms: now - 2 * DAY_MS, used_ms: null },
  ],
  accounts: [{ issuer: "https://id.example", name: "Ada Lovelace", used_ms: now - 3 * DAY_MS }],
});

const sessions = (now: number) => ({
  items: [
    { id: "s1", device: "Firefox, Linux", created_ms: now - DAY_MS, seen_ms: now, current: true },
    {
      id: "s2",
      device: "Safari, iPhone",
      created_ms: now - 5 * DAY_MS,
      seen_ms: now - DAY_MS,
      current: false,
    },
  ],
});

const tokens = (now: number) => ({
  items: [
    {
      ...{ id: "t1", name: "Backup", scopes: ["read"], created_ms: now - DAY_MS },
      ...{ expires_ms: now + 80 * DAY_MS, used_ms: now },
    },
  ],
});

const invitations = (now: number) => ({
  items: [
    { id: "i1", created_ms: now - DAY_MS, expires_ms: now + 6 * DAY_MS, used_ms: null },
    { id: "i2", created_ms: now - 2 * DAY_MS, expires_ms: now + 5 * DAY_MS, used_ms: now - DAY_MS },
  ],
});

function makeToken({ text }: Call): Answer {
  const { name, scopes = ["read", "chat"] } = JSON.parse(text) as TokenCreate;
  const made: TokenMade = {
    ...{ id: "t2", name, scopes, created_ms: Date.now(), expires_ms: null, used_ms: null },
    token: "berth_t_local_0000000000000000000000000000000000000000000",
  };
  return ok(made, 201);
}

export const SIGN_IN_ROUTES: [RegExp, (call: Call) => Answer][] = [
  [/^GET \/api\/sign-in$/, () => ok(ways)],
  [/^GET \/api\/ways-in$/, () => ok(waysIn(Date.now()))],
  [/^GET \/api\/owners$/, () => ok({ items: [{ id: "local", name: "", role: "owner" }] })],
  [/^GET \/api\/sessions$/, () => ok(sessions(Date.now()))],
  [/^DELETE \/api\/sessions\/[^/]+$/, () => gone],
  [/^GET \/api\/tokens$/, () => ok(tokens(Date.now()))],
  [/^POST \/api\/tokens$/, makeToken],
  [/^GET \/api\/operator\/invitations$/, () => ok(invitations(Date.now()))],
];
