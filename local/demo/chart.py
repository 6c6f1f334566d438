"""Whether bytes are the chart that was promised: the recorded digest, and an image that is whole.

An SVG must parse, without entities of its own, and draw something; a PNG must have its chunks with right
check sums, from its header to its end.
"""

import hashlib
import struct
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Iterator

from local.demo.errors import ChartError
from local.demo.facts import Artifact

SVG = "{http://www.w3.org/2000/svg}"
DRAWN = frozenset(SVG + name for name in ("path", "circle", "rect", "line", "polyline", "polygon", "ellipse"))
PNG = b"\x89PNG\r\n\x1a\n"


def check_chart(content: bytes, recorded: Artifact) -> str:
    """Return the kind of image, `SVG` or `PNG`, or raise a ChartError."""
    if len(content) != recorded.size:
        raise ChartError(f"{recorded.name} has {len(content)} bytes, and its record says {recorded.size}.")
    if hashlib.sha256(content).hexdigest() != recorded.sha256:
        raise ChartError(f"{recorded.name} is not the file that its record names: the digests differ.")
    if content.startswith(PNG):
        _check_png(content, recorded.name)
        return "PNG"
    _check_svg(content, recorded.name)
    return "SVG"


def _check_svg(content: bytes, name: str) -> None:
    # Entities are how XML of a few bytes becomes gigabytes.
    if b"<!ENTITY" in content.upper():
        raise ChartError(f"{name} declares entities, which a chart has no use for.")
    try:
        root = ET.fromstring(content)  # noqa: S314 - without entities there is nothing to expand
    except ET.ParseError as error:
        raise ChartError(f"{name} is neither PNG nor valid SVG: {error}.") from error
    if root.tag != f"{SVG}svg":
        raise ChartError(f"{name} is XML, but not SVG: its root is {root.tag}.")
    if not any(element.tag in DRAWN for element in root.iter()):
        raise ChartError(f"{name} is an SVG that draws nothing.")


def _check_png(content: bytes, name: str) -> None:
    kinds = [kind for kind, _ in _chunks(content, name)]
    if not kinds or kinds[0] != b"IHDR" or kinds[-1] != b"IEND" or b"IDAT" not in kinds:
        raise ChartError(f"{name} is a PNG that is not whole.")


def _chunks(content: bytes, name: str) -> Iterator[tuple[bytes, bytes]]:
    position = len(PNG)
    while position < len(content):
        data_at = position + 8
        length, kind = struct.unpack_from(">I4s", content.ljust(data_at, b"\0"), position)
        end = data_at + length + 4
        if end > len(content):
            raise ChartError(f"{name} is a PNG that is not whole.")
        data = content[data_at : data_at + length]
        if zlib.crc32(kind + data) != int.from_bytes(content[end - 4 : end], "big"):
            raise ChartError(f"{name} is a PNG with a damaged part.")
        yield kind, data
        position = end
