// WebAuthn's checks, from @simplewebauthn; `python3 -m local.bundle` makes passkeys.mjs of it.
//
// Only JSON text crosses to Python. What does not hold comes back as `{refused: why}`, for the log and no person.

import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { decodeClientDataJSON, isoBase64URL } from "@simplewebauthn/server/helpers";

/** Ed25519, P-256 and RSA, as the options ask for. */
const ALGORITHMS = [-8, -7, -257];

function expected({ challenge, origin, rp_id }) {
  return { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rp_id };
}

/** Nobody signs in from inside a page of another site. The library asks only where the browser names that site. */
function refuseFrames(response) {
  if (decodeClientDataJSON(response.response.clientDataJSON).crossOrigin === true)
    throw new Error("made inside a frame of another site");
}

async function answered(work) {
  try {
    return JSON.stringify(await work());
  } catch (error) {
    return JSON.stringify({ refused: String(error?.message ?? error) });
  }
}

/** `{response, challenge, origin, rp_id}` of a new passkey → what is kept of it. */
export const registered = (text) =>
  answered(async () => {
    const asked = JSON.parse(text);
    refuseFrames(asked.response);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: asked.response,
      ...expected(asked),
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) throw new Error("the signature is not its own");
    const { credential, credentialBackedUp } = registrationInfo;
    return {
      id: credential.id,
      public_key: isoBase64URL.fromBuffer(credential.publicKey),
      counter: credential.counter,
      backed_up: credentialBackedUp,
    };
  });

/** `{response, challenge, origin, rp_id, id, public_key, counter}` of a sign-in → the counter after it. */
export const authenticated = (text) =>
  answered(async () => {
    const asked = JSON.parse(text);
    refuseFrames(asked.response);
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: asked.response,
      ...expected(asked),
      requireUserVerification: true,
      credential: {
        id: asked.id,
        publicKey: isoBase64URL.toBuffer(asked.public_key),
        counter: asked.counter,
      },
    });
    if (!verified) throw new Error("the signature is not its own");
    return { counter: authenticationInfo.newCounter, backed_up: authenticationInfo.credentialBackedUp };
  });
