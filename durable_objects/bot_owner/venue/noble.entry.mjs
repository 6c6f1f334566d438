// The curve and the hash of the venue's signatures, from @noble; `python3 -m local.bundle` makes noble.mjs of it.
//
// Only text crosses to Python: bytes as hex without 0x. Messages are digests of 32 bytes.

import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";

const DIGEST = { prehash: false, lowS: true, format: "recovered", extraEntropy: false };

/** The address of an uncompressed public key: the last 20 bytes of its hash. */
const addressOf = (publicKey) => bytesToHex(keccak_256(publicKey.slice(1)).slice(-20));

export const keccak = (hex) => bytesToHex(keccak_256(hexToBytes(hex)));

export const address = (key) => addressOf(secp256k1.getPublicKey(hexToBytes(key), false));

/** Deterministic (RFC 6979), with the smaller s: recovery id, r and s. */
export const sign = (digest, key) => bytesToHex(secp256k1.sign(hexToBytes(digest), hexToBytes(key), DIGEST));

/** The address whose key made the signature that `sign` returned. */
export const recover = (digest, signature) => {
  const publicKey = secp256k1.recoverPublicKey(hexToBytes(signature), hexToBytes(digest), { prehash: false });
  return addressOf(secp256k1.Point.fromBytes(publicKey).toBytes(false));
};
