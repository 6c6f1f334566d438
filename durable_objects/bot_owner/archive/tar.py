"""The form of an archive: a tar file (POSIX.1-2001, pax), which every system can open.

Each file's size is known before its bytes come, so nothing has to be held, and the whole size is known too.
"""

import tarfile

BLOCK = 512
END = bytes(2 * BLOCK)


def header(name: str, size: int, at_ms: int) -> bytes:
    """What stands before a file's bytes."""
    info = tarfile.TarInfo(name)
    info.size = size
    info.mtime = at_ms // 1000
    info.mode = 0o600
    # What no UTF-8 has, a person's file may be called all the same.
    return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "replace")


def padding(size: int) -> bytes:
    """What fills up the last block of a file."""
    return bytes(-size % BLOCK)
