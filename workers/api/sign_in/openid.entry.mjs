// OpenID Connect and Cloudflare Access, by oauth4webapi and jose; `python3 -m local.bundle` makes openid.mjs of it.
//
// Only JSON text crosses to Python. What goes wrong comes back as `{refused: why}` where a person's sign-in does not
// hold, and as `{unavailable: why}` where the provider is slow, dead, or says what no provider may say.

import { createRemoteJWKSet, errors, customFetch as joseFetch, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";

/** Never `none`, and never a secret that a provider shares: whoever could check could also sign. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const CLOCK_SECONDS = 30;
/** What a provider tells about itself is asked for again after this; its keys at once when one is unknown. */
const KEPT_MS = 10 * 60_000;
const COOL_MS = 5_000;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

class Unavailable extends Error {}

/** By what went wrong: these are the sign-in's own faults, and everything else is the provider's. */
const REFUSALS = [
  errors.JWTClaimValidationFailed,
  errors.JWTExpired,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JWKSNoMatchingKey,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  oauth.AuthorizationResponseError,
];
const REFUSED_CODES = new Set([
  oauth.JWT_CLAIM_COMPARISON,
  oauth.JWT_TIMESTAMP_CHECK,
  oauth.INVALID_RESPONSE,
]);

class Refused extends Error {}

function isRefusal(error) {
  if (error instanceof Refused || REFUSALS.some((kind) => error instanceof kind)) return true;
  // The provider knows the code, and does not take it: it was used, is too old or is somebody else's.
  if (error instanceof oauth.ResponseBodyError) return error.error === "invalid_grant";
  return REFUSED_CODES.has(error?.code);
}

async function answered(work) {
  try {
    return JSON.stringify(await work());
  } catch (error) {
    const why = `${error?.name}: ${error?.message}${error?.cause?.message ? ` (${error.cause.message})` : ""}`;
    return JSON.stringify(isRefusal(error) ? { refused: why } : { unavailable: why });
  }
}

const isLoopback = (url) => url.protocol === "http:" && LOOPBACK.has(url.hostname);

function securely(url) {
  if (url.protocol !== "https:" && !isLoopback(url))
    throw new Unavailable("its address does not begin with https");
  return url;
}

/** The whole answer, if it comes in time and is no longer than it may be; where it points elsewhere it is none. */
async function fetched(url, options, { seconds, bytes }) {
  securely(new URL(url));
  const signal = AbortSignal.timeout(seconds * 1000);
  const response = await fetch(url, { ...options, signal, redirect: "manual" });
  const parts = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.byteLength;
    if (length > bytes) throw new Unavailable(`it sent more than ${bytes} bytes`);
    parts.push(part);
  }
  const { status, headers } = response;
  return new Response(length === 0 ? null : await new Blob(parts).arrayBuffer(), { status, headers });
}

const keysByAddress = new Map();

/** The provider's keys, kept between requests. One that is not among them has them asked for again. */
function keysAt(address, limits) {
  let keys = keysByAddress.get(address);
  if (keys === undefined) {
    keys = createRemoteJWKSet(securely(new URL(address)), {
      [joseFetch]: (url, options) => fetched(url, options, limits),
      cacheMaxAge: KEPT_MS,
      cooldownDuration: COOL_MS,
      timeoutDuration: limits.seconds * 1000,
    });
    keysByAddress.set(address, keys);
  }
  return keys;
}

const serversByIssuer = new Map();

function optionsOf({ issuer, limits }) {
  return {
    [oauth.customFetch]: (url, options) => fetched(url, options, limits),
    [oauth.allowInsecureRequests]: isLoopback(new URL(issuer)),
  };
}

async function serverOf(settings) {
  const known = serversByIssuer.get(settings.issuer);
  if (known !== undefined && Date.now() - known.at < KEPT_MS) return known.server;
  const issuer = securely(new URL(settings.issuer));
  const response = await oauth.discoveryRequest(issuer, { ...optionsOf(settings), algorithm: "oidc" });
  const server = await oauth.processDiscoveryResponse(issuer, response);
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"]) {
    if (typeof server[name] !== "string") throw new Unavailable(`it names no ${name}`);
    securely(new URL(server[name]));
  }
  serversByIssuer.set(settings.issuer, { server, at: Date.now() });
  return server;
}

/** `{issuer, client_id, redirect_uri, limits}` → the address to send the person to, and what to expect back. */
export const begun = (text) =>
  answered(async () => {
    const settings = JSON.parse(text);
    const server = await serverOf(settings);
    const state = oauth.generateRandomState();
    const nonce = oauth.generateRandomNonce();
    const verifier = oauth.generateRandomCodeVerifier();
    const url = new URL(server.authorization_endpoint);
    const asked = {
      client_id: settings.client_id,
      redirect_uri: settings.redirect_uri,
      response_type: "code",
      scope: "openid profile",
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
    return { url: url.href, state, nonce, verifier };
  });

/** The secret in the form that the provider says it takes; the first of OpenID's own where it says nothing. */
function proofOf(server, secret) {
  if (!secret) return oauth.None();
  const ways = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return ways.includes("client_secret_basic")
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret);
}

const nameOf = (claims) => {
  const said = claims.name ?? claims.preferred_username ?? "";
  return typeof said === "string" ? said : "";
};

/** `{…settings, client_secret, url, state, nonce, verifier}` of a person who came back → who the provider says it is. */
export const finished = (text) =>
  answered(async () => {
    const settings = JSON.parse(text);
    const server = await serverOf(settings);
    const client = { client_id: settings.client_id, [oauth.clockTolerance]: CLOCK_SECONDS };
    const options = optionsOf(settings);
    const returned = oauth.validateAuthResponse(server, client, new URL(settings.url), settings.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      proofOf(server, settings.client_secret),
      returned,
      settings.redirect_uri,
      settings.verifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: settings.nonce,
      requireIdToken: true,
    });
    // What was just read is not signed for yet: the token came over the provider's own connection and no more.
    const { payload } = await jwtVerify(tokens.id_token, keysAt(server.jwks_uri, settings.limits), {
      issuer: server.issuer,
      audience: settings.client_id,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_SECONDS,
      requiredClaims: ["sub", "exp", "iat"],
    });
    if (payload.nonce !== settings.nonce) throw new Refused("another nonce");
    return { issuer: server.issuer, subject: String(payload.sub), name: nameOf(payload) };
  });

/** `{team, audience, token, limits}` of a request through Access → who it is, and until when the token holds. */
export const accessed = (text) =>
  answered(async () => {
    const { team, audience, token, limits } = JSON.parse(text);
    const { payload } = await jwtVerify(token, keysAt(`${team}/cdn-cgi/access/certs`, limits), {
      issuer: team,
      audience,
      algorithms: ["RS256", "ES256"],
      clockTolerance: CLOCK_SECONDS,
      requiredClaims: ["sub", "exp", "iat"],
    });
    // A service token has no subject, and is no person.
    if (typeof payload.sub !== "string" || payload.sub === "") throw new Refused("it names no person");
    const name = typeof payload.email === "string" ? payload.email : "";
    return { issuer: team, subject: payload.sub, name, until_ms: payload.exp * 1000 };
  });
