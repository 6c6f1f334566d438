"""Makes Java and browsers trust the interception: they read stores of their own and no PEM file.

Two stores are made in the home folder: a keystore that JAVA_TOOL_OPTIONS names, and an entry in the database
of NSS, which Chromium and its relatives read. This runs as a program of its own beside the service, so that
nothing waits for it and whatever lies in that folder can hold up nobody; NSS's own library writes the
database, where it is installed. Both are made anew at each start, as the authority may be another one.
"""

from __future__ import annotations

import binascii
import ctypes
import os
import struct
import sys

KEYSTORE = ".local/share/berth/trust.jks"
DATABASE = ".pki/nssdb"
NAME = b"berth"
_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
_KEPT_MAX = 100


def certificates(pem: str) -> list[bytes]:
    """The certificates of a PEM file, as DER."""
    parts = pem.split(_BEGIN)[1:]
    return [binascii.a2b_base64(part.partition(_END)[0]) for part in parts]


def keystore(found: list[bytes]) -> bytes:
    """A keystore in Java's own old format, which every Java reads and which needs no tool to write."""
    # Not above: the service imports this file to start it, and must stay small.
    import hashlib  # noqa: PLC0415

    data = struct.pack(">III", 0xFEEDFEED, 2, len(found))
    for number, der in enumerate(found):
        data += struct.pack(">I", 2) + _text(f"berth{number}") + struct.pack(">Q", 0)
        data += _text("X.509") + struct.pack(">I", len(der)) + der
    sealed = "changeit".encode("utf-16-be") + b"Mighty Aphrodite" + data
    return data + hashlib.sha1(sealed).digest()  # noqa: S324 - as the format says


def _text(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode()


def write_keystore(found: list[bytes], file: str) -> None:
    os.makedirs(os.path.dirname(file), exist_ok=True)
    made = f"{file}.{os.getpid()}"
    # A new file, moved into place: what lay there before may be a link or a pipe.
    with open(made, "xb") as target:
        target.write(keystore(found))
    os.rename(made, file)


class _Item(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int), ("data", ctypes.c_char_p), ("length", ctypes.c_uint))


class _Trust(ctypes.Structure):
    _fields_ = (("ssl", ctypes.c_uint), ("email", ctypes.c_uint), ("code", ctypes.c_uint))


class Database:
    """NSS's database of certificates in a folder; made if it is not there. Raises OSError."""

    def __init__(self, nss: ctypes.CDLL, folder: str) -> None:
        self._nss = nss
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self._do("NSS_InitReadWrite", f"sql:{folder}".encode())
        self._slot = self._get("PK11_GetInternalKeySlot")
        self._all = self._get("CERT_GetDefaultCertDB")
        if self._nss.PK11_NeedUserInit(self._slot):
            self._do("PK11_InitPin", self._slot, None, b"")

    def trust(self, found: list[bytes]) -> None:
        """Trust these as authorities for servers, and none that was trusted here before."""
        for _ in range(_KEPT_MAX):
            old = self._find("PK11_FindCertFromNickname", NAME, None)
            if old is None:
                break
            self._do("SEC_DeletePermCertificate", old)
            self._nss.CERT_DestroyCertificate(old)
        for der in found:
            item = _Item(0, der, len(der))
            made = self._get("CERT_NewTempCertificate", self._all, ctypes.byref(item), None, 0, 1)
            self._do("PK11_ImportCert", self._slot, made, ctypes.c_ulong(0), NAME, 0)
            trust = _Trust()
            self._do("CERT_DecodeTrustString", ctypes.byref(trust), b"C,,")
            self._do("CERT_ChangeCertTrust", self._all, made, ctypes.byref(trust))
            self._nss.CERT_DestroyCertificate(made)

    def close(self) -> None:
        self._nss.PK11_FreeSlot(self._slot)
        self._do("NSS_Shutdown")

    def _do(self, name: str, *arguments: object) -> None:
        if getattr(self._nss, name)(*arguments) != 0:
            raise OSError(f"{name} of NSS failed")

    def _find(self, name: str, *arguments: object) -> ctypes.c_void_p | None:
        function = getattr(self._nss, name)
        function.restype = ctypes.c_void_p
        found = function(*arguments)
        return ctypes.c_void_p(found) if found else None

    def _get(self, name: str, *arguments: object) -> ctypes.c_void_p:
        found = self._find(name, *arguments)
        if found is None:
            raise OSError(f"{name} of NSS failed")
        return found


def start(certificate: str, home: str) -> int:
    """Make the stores in a process of its own, whose number this is."""
    argv = [sys.executable, "-I", "-S", "-B", __file__, certificate, home]
    # Signals that the service has blocked are not blocked in it.
    return os.posix_spawn(sys.executable, argv, {}, setsigmask=())


def main(certificate: str, home: str) -> None:
    with open(certificate) as file:
        found = certificates(file.read())
    write_keystore(found, os.path.join(home, KEYSTORE))
    try:
        nss = ctypes.CDLL("libnss3.so")
    except OSError:
        return  # then there is no browser either that would read its database
    database = Database(nss, os.path.join(home, DATABASE))
    database.trust(found)
    database.close()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, ValueError) as error:
        sys.exit(f"computerd: Java or a browser may not trust the interception: {error}")
