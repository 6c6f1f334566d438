// A real OpenID provider (oidc-provider) for tests: it prints `{"url": …}` and takes whoever gives a name.
//
// Its own plain pages ask for the name and for consent. The client is a public one with PKCE, and comes back to any
// port of this machine.

import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const CLIENT = {
  client_id: "berth-test",
  application_type: "native",
  token_endpoint_auth_method: "none",
  grant_types: ["authorization_code"],
  response_types: ["code"],
  redirect_uris: ["http://localhost/api/sign-in/oidc/callback"],
};

let handle = null;
const server = createServer((request, response) => handle(request, response));
server.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(url, {
    clients: [CLIENT],
    claims: { openid: ["sub"], profile: ["name"] },
    // Berth asks for no more than the ID token, so what it is called is in there.
    conformIdTokenClaims: false,
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, name: `Name of ${id}` }) }),
  });
  handle = provider.callback();
  process.stdout.write(`${JSON.stringify({ url })}\n`);
});
