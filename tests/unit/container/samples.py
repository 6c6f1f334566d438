"""Files of other programs, made by hand: pictures, PDFs, zipped documents."""

import os
import struct
import zipfile
import zlib
from pathlib import Path


def png(width: int, height: int, noise: bool = False) -> bytes:
    row = bytes(width * 3)
    raw = b"".join(b"\0" + (os.urandom(width * 3) if noise else row) for _ in range(height))
    parts = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(raw)))
    chunks = [*parts, (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def png_of_zeros(width: int, height: int) -> bytes:
    """As `png`, of any size, without having its pixels in memory."""
    packer = zlib.compressobj(9)
    row = packer.compress(bytes(1 + 3 * width) * 100)
    data = b"".join([row, *(packer.compress(bytes(1 + 3 * width) * 100) for _ in range(4)), packer.flush()])
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", data),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def zipped(path: Path, **parts: str) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def pdf(*pages: str) -> bytes:
    """A PDF by hand: each page with its lines in one font, and the table of where each object begins."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, page in enumerate(pages):
        lines = "".join(f"({line}) Tj T* " for line in page.splitlines())
        content = zlib.compress(f"BT /F1 12 Tf 14 TL 20 780 Td {lines}ET".encode())
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>"
            b"/Contents %d 0 R>>" % (5 + 2 * number)
        )
        objects.append(b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(content), content))
    made, places = b"%PDF-1.4\n", []
    for number, item in enumerate(objects, start=1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, item)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    return made + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n"
        % (count, table, count, len(made))
    )
