"""Makes every address lead to a sandbox's own loopback, for the ports of the web and no other.

A rule sends what goes to port 80 or 443 to a table with one route: any address is local, and whoever asks
is 127.0.0.1. The engine listens there, and tells from a connection's own address where it was meant to go.
To all other ports there is no route, so they fail at once, and the computer's own services keep their ports.
The kernel is told by hand: it takes a few numbers in a packet, and a sandbox may hold no tool for it.
"""

import contextlib
import fcntl
import os
import socket
import struct
import time

PORTS = (80, 443)
TABLE = 100
OWN_ADDRESS = "198.18.0.2"
UP_SECONDS = 10.0

IP_TRANSPARENT, IPV6_TRANSPARENT = 19, 75
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
INTERFACE = "16sH14x"
NLMSG_ERROR, RTM_NEWADDR, RTM_NEWROUTE, RTM_NEWRULE = 2, 20, 24, 32
REQUEST, ACK, REPLACE, CREATE = 0x1, 0x4, 0x100, 0x400
IFA_ADDRESS, IFA_LOCAL = 1, 2
RTA_OIF, RTA_PREFSRC = 4, 7
FRA_PRIORITY, FRA_IP_PROTO, FRA_DPORT_RANGE = 6, 22, 24
RTPROT_STATIC, RTN_LOCAL, SCOPE_HOST, TO_TABLE = 4, 2, 254, 1


def route_to_loopback() -> None:
    """Set the routes up in the network namespace of the calling thread. Raises OSError where it cannot be."""
    _wait_until_up()
    _have(socket.inet_aton(OWN_ADDRESS))
    _route(socket.AF_INET, socket.inet_pton(socket.AF_INET, "127.0.0.1"))
    with contextlib.suppress(OSError):  # a kernel without IPv6: its addresses lead nowhere
        _route(socket.AF_INET6, socket.inet_pton(socket.AF_INET6, "::1"))


def listener(port: int) -> socket.socket:
    """Return a listener on all addresses of both families that may answer as any of them."""
    if socket.has_dualstack_ipv6():
        made = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        made.setsockopt(socket.IPPROTO_IPV6, IPV6_TRANSPARENT, 1)
    else:
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        made.setsockopt(socket.IPPROTO_IP, IP_TRANSPARENT, 1)
    made.bind(("", port))
    return made


def bring_up() -> None:
    """Bring the loopback up, where bubblewrap does not."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        fcntl.ioctl(asking, SIOCSIFFLAGS, struct.pack(INTERFACE, b"lo", IFF_UP))


def _wait_until_up() -> None:
    """bubblewrap brings the loopback up after it has told of its first process, and insists on doing so."""
    deadline = time.monotonic() + UP_SECONDS
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        while True:
            found = fcntl.ioctl(asking, SIOCGIFFLAGS, struct.pack(INTERFACE, b"lo", 0))
            if struct.unpack(INTERFACE, found)[1] & IFF_UP:
                return
            if time.monotonic() > deadline:
                raise TimeoutError("the loopback did not come up")
            time.sleep(0.001)


def _have(address: bytes) -> None:
    """Give the computer an address: of a family with loopback only, libraries look up no name."""
    message = struct.pack("4BI", socket.AF_INET, 32, 0, 0, socket.if_nametoindex("lo"))
    _tell(RTM_NEWADDR, message + _attribute(IFA_LOCAL, address) + _attribute(IFA_ADDRESS, address))


def _route(family: int, source: bytes) -> None:
    route = struct.pack("8BI", family, 0, 0, 0, TABLE, RTPROT_STATIC, SCOPE_HOST, RTN_LOCAL, 0)
    loopback = struct.pack("I", socket.if_nametoindex("lo"))
    _tell(RTM_NEWROUTE, route + _attribute(RTA_OIF, loopback) + _attribute(RTA_PREFSRC, source))
    for port in PORTS:
        rule = struct.pack("8BI", family, 0, 0, 0, TABLE, 0, 0, TO_TABLE, 0)
        rule += _attribute(FRA_PRIORITY, struct.pack("I", port))
        rule += _attribute(FRA_IP_PROTO, bytes([socket.IPPROTO_TCP]))
        _tell(RTM_NEWRULE, rule + _attribute(FRA_DPORT_RANGE, struct.pack("2H", port, port)))


def _attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("2H", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def _tell(kind: int, message: bytes) -> None:
    """Send the kernel one request and wait for its word on it."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
        head = struct.pack("IHHII", 16 + len(message), kind, REQUEST | ACK | REPLACE | CREATE, 1, 0)
        kernel.send(head + message)
        answer = kernel.recv(4096)
    _, kind, _, _, _, code = struct.unpack_from("IHHIIi", answer)
    if kind != NLMSG_ERROR or code != 0:
        raise OSError(-code, os.strerror(-code))
