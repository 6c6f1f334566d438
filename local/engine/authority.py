"""A certificate authority that lives as long as the engine and answers for any host name.

workerd fetches its certificate from the sidecar and puts it into each computer, whose programs
then trust the leaves made here. Nothing is written to disk: a leaf is loaded through a memory
file, and the most recently used ones are kept.
"""

import datetime as dt
import ipaddress
import os
import ssl
from collections import OrderedDict
from collections.abc import Callable

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from local.engine.errors import MalformedRequestError

KEPT_LEAVES = 256
LIFETIME = dt.timedelta(days=365)
COMMON_NAME_LIMIT = 64


class Authority:
    def __init__(self, now: dt.datetime) -> None:
        self._now = now
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._leaf_key = ec.generate_private_key(ec.SECP256R1())
        self._name = _common_name("Berth local interception")
        self._contexts: OrderedDict[str, ssl.SSLContext] = OrderedDict()
        certificate = (
            self._builder(self._name, self._key)
            .add_extension(x509.BasicConstraints(True, 0), critical=True)
            .add_extension(_key_usage(signs_certificates=True), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), False)
            .sign(self._key, hashes.SHA256())
        )
        self.pem = certificate.public_bytes(serialization.Encoding.PEM)
        self._leaf_key_pem = self._leaf_key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )

    def greeting(self, choose: Callable[[str | None], str]) -> ssl.SSLContext:
        """Return a context for one connection; `choose` gets the name in TLS and says whose leaf to show.

        It may raise MalformedRequestError: then there is no handshake.
        """

        def greet(connection: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> int | None:
            try:
                connection.context = self.context(choose(name))
            except MalformedRequestError:
                return ssl.AlertDescription.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
            return None

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        context.sni_callback = greet
        return context

    def context(self, host: str) -> ssl.SSLContext:
        """Return a server's TLS context with a leaf for `host`, HTTP/1.1 only."""
        context = self._contexts.get(host)
        if context is None:
            context = self._make_context(host)
            self._contexts[host] = context
            if len(self._contexts) > KEPT_LEAVES:
                self._contexts.popitem(last=False)
        self._contexts.move_to_end(host)
        return context

    def _make_context(self, host: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        file = os.memfd_create("leaf")
        try:
            os.write(file, self._leaf(host) + self.pem + self._leaf_key_pem)
            context.load_cert_chain(f"/proc/self/fd/{file}")
        finally:
            os.close(file)
        context.set_alpn_protocols(["http/1.1"])
        return context

    def _leaf(self, host: str) -> bytes:
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        leaf = (
            self._builder(_common_name(host[:COMMON_NAME_LIMIT]), self._leaf_key)
            .add_extension(x509.SubjectAlternativeName([_general_name(host)]), critical=False)
            .add_extension(x509.BasicConstraints(False, None), critical=True)
            .add_extension(_key_usage(signs_certificates=False), critical=True)
            .add_extension(issuer, critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        return leaf.public_bytes(serialization.Encoding.PEM)

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(self._now - dt.timedelta(days=1))
            .not_valid_after(self._now + LIFETIME)
        )


def _common_name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )
