/** Where a person is signed in, and what programs of theirs may do. */
import { LogOut, Trash2 } from "lucide-react";
import { type FormEvent, useCallback, useEffect, useState } from "react";
import * as api from "../api/sign-in.ts";
import { forgetAllContent } from "../app/keeping.ts";
import type { Session, Token, TokenCreate } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { Field, SelectField, Tick } from "../ui/Field.tsx";
import { moment } from "../ui/format.ts";
import { useTries } from "./attempt.ts";
import css from "./OwnSection.module.css";
import { Once, Part } from "./Part.tsx";
import { leave } from "./standing.ts";

/** Who comes through Cloudflare Access has no session here: Access itself signs them out. */
const ACCESS_OUT = "/cdn-cgi/access/logout";

async function leaveByAccess(): Promise<void> {
  forgetAllContent();
  location.assign(ACCESS_OUT);
}

export function Devices({ access }: { access: boolean }) {
  const { text, locale } = useLanguage();
  const t = text.signIn;
  const now = useNow(false);
  const { busy, trouble, attempt } = useTries();
  const [sessions, setSessions] = useState<readonly Session[]>([]);
  const look = useCallback(async () => setSessions((await api.getSessions()).items), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked once
  useEffect(() => void attempt(look), []);
  const others = sessions.some((one) => !one.current);
  const here = sessions.some((one) => one.current);
  const out = here ? leave : access ? leaveByAccess : null;
  return (
    <Part title={t.devices} about={t.devicesAbout} trouble={trouble}>
      <ul className={css.rows}>
        {sessions.map((one) => {
          const device = one.device || t.deviceUnknown;
          return (
            <li key={one.id}>
              <span className={css.name}>{device}</span>
              <span className={css.facts}>
                {one.current ? t.deviceHere : t.used(moment(one.seen_ms, now, locale))}
              </span>
              {!one.current && (
                <Button
                  icon
                  look="quiet"
                  aria-label={t.deviceEnd(device)}
                  disabled={busy}
                  onClick={() =>
                    void attempt(async () => {
                      await api.endSession(one.id);
                      await look();
                    })
                  }
                >
                  <LogOut size={15} aria-hidden="true" />
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      <div className={css.line}>
        {out !== null && (
          <Button disabled={busy} onClick={() => void attempt(out)}>
            <LogOut size={15} aria-hidden="true" />
            {t.out}
          </Button>
        )}
        {others && (
          <Button
            disabled={busy}
            onClick={() =>
              void attempt(async () => {
                await api.endOtherSessions();
                await look();
              })
            }
          >
            {t.devicesEnd}
          </Button>
        )}
      </div>
    </Part>
  );
}

const SCOPES = ["read", "chat", "approve"] as const;
const ENDS = ["30", "90", "366", "never"] as const;
type End = (typeof ENDS)[number];
type Scope = (typeof SCOPES)[number];

function TokenForm({ make, busy }: { make: (body: TokenCreate) => void; busy: boolean }) {
  const { signIn: t } = useLanguage().text;
  const [name, setName] = useState("");
  const [end, setEnd] = useState<End>("90");
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(["read", "chat"]));
  const tick = (scope: Scope, is: boolean) => {
    const others = SCOPES.filter((one) => one !== scope && scopes.has(one));
    setScopes(new Set(is ? [...others, scope] : others));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const days = end === "never" ? null : Number(end);
    make({ name, days, scopes: SCOPES.filter((one) => scopes.has(one)) });
    setName("");
  };
  return (
    <form onSubmit={submit}>
      <div className={css.ticks}>
        {SCOPES.map((scope) => (
          <Tick
            key={scope}
            label={t.scopes[scope]}
            ticked={scopes.has(scope)}
            tick={(is) => tick(scope, is)}
          />
        ))}
      </div>
      <div className={css.line}>
        <Field
          label={t.tokenName}
          value={name}
          maxLength={60}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField
          label={t.tokenDays}
          value={end}
          choose={setEnd}
          options={ENDS.map((value) => ({ value, label: t.tokenEnd[value] }))}
        />
        <Button type="submit" disabled={busy || name.trim() === "" || scopes.size === 0}>
          {t.tokenMake}
        </Button>
      </div>
    </form>
  );
}

export function Tokens() {
  const { text, locale } = useLanguage();
  const t = text.signIn;
  const now = useNow(false);
  const { busy, trouble, attempt } = useTries();
  const [tokens, setTokens] = useState<readonly Token[]>([]);
  const [made, setMade] = useState<string | null>(null);
  const look = useCallback(async () => setTokens((await api.getTokens()).items), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked once
  useEffect(() => void attempt(look), []);
  const factsOf = (one: Token) =>
    [
      one.scopes.map((scope) => t.scopeWords[scope]).join(", "),
      one.expires_ms == null ? "" : t.tokenEnds(moment(one.expires_ms, now, locale)),
      one.used_ms == null ? "" : t.used(moment(one.used_ms, now, locale)),
    ].filter(Boolean);
  return (
    <Part title={t.tokens} about={t.tokensAbout} trouble={trouble}>
      {made !== null && <Once text={made} about={t.tokenShown} copy={t.tokenCopy} />}
      {tokens.length > 0 && (
        <ul className={css.rows}>
          {tokens.map((one) => (
            <li key={one.id}>
              <span className={css.name}>{one.name}</span>
              <span className={css.facts}>{factsOf(one).join(" · ")}</span>
              <Button
                icon
                look="quiet"
                aria-label={t.tokenRemove(one.name)}
                disabled={busy}
                onClick={() =>
                  void attempt(async () => {
                    await api.removeToken(one.id);
                    await look();
                  })
                }
              >
                <Trash2 size={15} aria-hidden="true" />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <TokenForm
        busy={busy}
        make={(body) =>
          void attempt(async () => {
            setMade((await api.createToken(body)).token);
            await look();
          })
        }
      />
    </Part>
  );
}
