"""P-256 by another implementation than the Worker's: what notices are sealed and signed with in tests."""

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from durable_objects.bot_owner.notices.web_push import KeyPair

P256 = ec.SECP256R1()


def public_bytes(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


class TestCurve:
    """The `Curve` of Web Push on CPython."""

    __test__ = False

    async def pair(self) -> KeyPair:
        key = ec.generate_private_key(P256)
        return KeyPair(key.private_numbers().private_value.to_bytes(32, "big"), public_bytes(key))

    async def shared(self, own: KeyPair, other: bytes) -> bytes:
        theirs = ec.EllipticCurvePublicKey.from_encoded_point(P256, other)
        return _private(own).exchange(ec.ECDH(), theirs)

    async def sign(self, own: KeyPair, text: bytes) -> bytes:
        r, s = decode_dss_signature(_private(own).sign(text, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def _private(own: KeyPair) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(own.private, "big"), P256)
