"""Spellings of what must never be reached: the venue's write endpoint, Berth's own API, private addresses.

Each is a URL as a hostile program would write it, drawn by a seeded generator: the same seed, the same list.
"""

import ipaddress
from collections.abc import Iterator
from random import Random
from urllib.parse import quote

Asked = tuple[str, str, str | None]

VENUES = ("api.hyperliquid.xyz", "api.hyperliquid-testnet.xyz")
OWN = ("berth.invalid", "www.berth.invalid", "berth.somebody.workers.dev", "localhost")
PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8", "100.64.0.0/10")
DOTS = (".", ".", ".", "\u3002", "\uff0e", "\uff61", "%2e")
BODIES = ("{}", '{"type":"order"}', '{"type":"meta","type":"order"}', '{"action":{"type":"order"}}')


def spellings(seed: int, count: int) -> Iterator[Asked]:
    random = Random(seed)  # noqa: S311 - a repeatable list, no secret
    for _ in range(count):
        target = random.random()
        if target < 0.5:
            url = _authority(random, random.choice(VENUES)) + _path(random, "/exchange")
        elif target < 0.7:
            url = _authority(random, random.choice(OWN)) + _path(random, "/api/me")
        else:
            url = _around(random, _address(random)) + _path(random, "/latest/meta-data")
        method = random.choice(("POST", "POST", "GET", "PUT"))
        yield method, url, None if method == "GET" else random.choice(BODIES)


def _authority(random: Random, host: str) -> str:
    return _around(
        random, "".join(_letter(random, letter) for letter in host) + random.choice(("", "", ".", ".."))
    )


def _letter(random: Random, letter: str) -> str:
    roll = random.random()
    if letter == ".":
        return random.choice(DOTS) if roll < 0.2 else "."
    if roll < 0.1:
        return letter.upper()
    if roll < 0.13:
        return chr(ord(letter) - 0x20 + 0xFF00)
    if roll < 0.16:
        return f"%{ord(letter):02x}"
    if roll < 0.18:
        return letter + random.choice(("\u00ad", "\u200b", "\t", "\n"))
    return letter


def _around(random: Random, host: str) -> str:
    scheme = random.choice(("https://", "https://", "http://", "HTTPS:", "https:/\\", "https:////"))
    user = random.choice(("", "", "", "", "user@", "kraken.com@", "api.kraken.com:443@", "@"))
    return scheme + user + host + random.choice(("", "", "", ":443", ":0443", ":80", ":", ":8443"))


def _path(random: Random, path: str) -> str:
    for _ in range(random.randrange(4)):
        path = random.choice(MUTATIONS)(random, path)
    return path


def _encoded(random: Random, path: str) -> str:
    at = random.randrange(1, len(path))
    return path[:at] + f"%{ord(path[at]) % 256:02x}" + path[at + 1 :]


def _twice(_random: Random, path: str) -> str:
    return path.replace("%", "%25") if "%" in path else "/" + quote(path[1:2]).join(("%25", path[2:]))


def _cased(random: Random, path: str) -> str:
    return "".join(letter.upper() if random.random() < 0.3 else letter for letter in path)


def _detour(random: Random, path: str) -> str:
    first = random.choice(("/info", "/0/public/Time", "/.", "/a/b/..", ""))
    up = random.choice(("/..", "/%2e%2e", "/.%2E", "%2f..", "/..%2f..", "\\..", "%5c..", "/%252e%252e", "//"))
    return first + up + path


def _tailed(random: Random, path: str) -> str:
    return path + random.choice(
        ("/", "//", ";x=1", "?", "?x=/info", "#/info", "%00", "%20", "/.", "/..;/", ".", "%23")
    )


def _split(random: Random, path: str) -> str:
    at = random.randrange(1, len(path) + 1)
    return path[:at] + random.choice(("\t", "\n", "\r", "%0a", "%09", "\u200b", "\uff0f", "/")) + path[at:]


def _turned(random: Random, path: str) -> str:
    return path.replace("/", random.choice(("\\", "//", "/\\", "/./")), 1)


MUTATIONS = (_encoded, _twice, _cased, _detour, _tailed, _split, _turned)


def _address(random: Random) -> str:
    network = ipaddress.ip_network(random.choice(PRIVATE))
    number = int(network.network_address) + random.randrange(network.num_addresses)
    dotted = str(ipaddress.ip_address(number))
    first, rest = number >> 24, number & 0xFFFFFF
    return random.choice(
        (
            dotted,
            f"{dotted}.",
            str(number),
            hex(number),
            f"0{number:o}",
            f"{first}.{rest}",
            f"0x{first:x}.{rest}",
            f"{first}.{rest >> 16}.{rest & 0xFFFF}",
            ".".join(f"0{int(part):o}" for part in dotted.split(".")),
            ".".join(hex(int(part)) for part in dotted.split(".")),
            dotted.translate({ord(str(n)): chr(0xFF10 + n) for n in range(10)}),
            f"[::ffff:{dotted}]",
            f"[::ffff:{number >> 16:x}:{number & 0xFFFF:x}]",
            f"[::{dotted}]",
            f"[64:ff9b::{dotted}]",
            "[::1]",
            f"[fe80::{number & 0xFFFF:x}]",
            f"[fd00::{number & 0xFFFF:x}]",
            f"{dotted}.nip.io",
            f"{number:08x}.nip.io",
            "localhost",
            "metadata",
            "metadata.google.internal",
        )
    )
