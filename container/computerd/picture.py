"""Makes a picture fit for a model to look at: `python3 -I picture.py SOURCE TARGET EDGE BYTES`.

Runs as a command of the computer, for a picture may be made to harm whoever decodes it. It says as JSON what
it wrote. Without Pillow a picture that is small already goes as it is, and a larger one is only described.
"""

from __future__ import annotations

import json
import shutil
import struct
import sys
from importlib import import_module
from typing import Any, BinaryIO

_KINDS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
_QUALITIES = (85, 70, 50, 30)
_PIXELS_MAX = 100_000_000


class NoPictureError(Exception):
    """What was given cannot be shown. `str()` says why."""


def main(source: str, target: str, edge: int, most: int) -> dict[str, object]:
    try:
        image = import_module("PIL.Image")
    except ImportError:
        return _as_it_is(source, target, edge, most)
    return _fitted(image, source, target, edge, most)


def _fitted(image: Any, source: str, target: str, edge: int, most: int) -> dict[str, object]:
    image.MAX_IMAGE_PIXELS = _PIXELS_MAX
    try:
        with image.open(source, formats=list(_KINDS)) as opened:
            size = opened.size
            if size[0] * size[1] > _PIXELS_MAX:
                raise NoPictureError(f"{size[0]} x {size[1]} pixels are too many")
            # The first frame of a moving picture; turned as the camera says.
            shown = import_module("PIL.ImageOps").exif_transpose(opened)
            shown.thumbnail((edge, edge))
            shown = shown.convert("RGBA" if "transparency" in shown.info or "A" in shown.mode else "RGB")
    except (MemoryError, image.DecompressionBombError) as error:
        raise NoPictureError("it has more pixels than can be looked at") from error
    except (OSError, ValueError, SyntaxError) as error:
        raise NoPictureError(f"it cannot be decoded ({type(error).__name__})") from error
    shown.save(target, "PNG", optimize=True)
    kind = "image/png"
    for quality in _QUALITIES:
        if _size_of(target) <= most:
            break
        paper = image.new("RGB", shown.size, "white")
        paper.paste(shown, mask=shown.getchannel("A") if shown.mode == "RGBA" else None)
        paper.save(target, "JPEG", quality=quality)
        kind = "image/jpeg"
    return _said(kind, shown.size, size)


def _as_it_is(source: str, target: str, edge: int, most: int) -> dict[str, object]:
    with open(source, "rb") as data:
        kind, width, height = measure(data)
    if not 0 < width <= edge or not 0 < height <= edge or _size_of(source) > most:
        raise NoPictureError(f"{width} x {height} pixels are too many without Pillow, which is not installed")
    shutil.copyfile(source, target)
    return _said(kind, (width, height), (width, height))


def _said(kind: str, shown: tuple[int, int], size: tuple[int, int]) -> dict[str, object]:
    return {
        "media_type": kind,
        "shown_width": shown[0],
        "shown_height": shown[1],
        "width": size[0],
        "height": size[1],
    }


def _size_of(path: str) -> int:
    with open(path, "rb") as data:
        return data.seek(0, 2)


def measure(data: BinaryIO) -> tuple[str, int, int]:
    """(media type, width, height) from the head of a PNG, GIF, JPEG or WebP; zeros where it does not say."""
    head = data.read(32)
    if head.startswith(b"\x89PNG") and head[12:16] == b"IHDR":
        return ("image/png", *struct.unpack(">II", head[16:24]))
    if head.startswith(b"GIF8"):
        return ("image/gif", *struct.unpack("<HH", head[6:10]))
    if head.startswith(b"RIFF") and head[12:16] == b"VP8X":
        width, height = (int.from_bytes(head[at : at + 3], "little") + 1 for at in (24, 27))
        return "image/webp", width, height
    if head.startswith(b"\xff\xd8"):
        return ("image/jpeg", *_jpeg_size(data))
    return "application/octet-stream", 0, 0


def _jpeg_size(data: BinaryIO) -> tuple[int, int]:
    data.seek(2)
    while True:
        marker = data.read(4)
        if len(marker) < 4 or marker[0] != 0xFF:
            return 0, 0
        length = int.from_bytes(marker[2:], "big")
        if 0xC0 <= marker[1] <= 0xCF and marker[1] not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data.read(5)[1:].ljust(4, b"\0"))
            return width, height
        data.seek(length - 2, 1)


if __name__ == "__main__":
    try:
        print(json.dumps(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
    except NoPictureError as error:
        sys.exit(str(error))
