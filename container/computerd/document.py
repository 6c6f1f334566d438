"""Takes the text out of a document: `python3 -I document.py KIND SOURCE TARGET`.

Runs as a command of the computer, for a document may be made to harm whoever opens it. PDF is read by
`pdftotext`; office documents are zipped XML, of which the text is what is left without the tags.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from typing import IO, TYPE_CHECKING, cast
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Iterator

_PART_BYTES = 64 * 1024 * 1024
_TEXT_CHARACTERS = 16 * 1024 * 1024
_PIECE_BYTES = 64 * 1024
_DEPTH = 500
_LONGER = "[the text is longer than what is shown of it]"


class NoTextError(Exception):
    """The document gives no text. `str()` says why."""


def main(kind: str, source: str, target: str) -> None:
    if kind == "pdf":
        _pdf(source, target)
        return
    left = _TEXT_CHARACTERS
    try:
        with zipfile.ZipFile(source) as archive, open(target, "w", encoding="utf-8") as out:
            for line in _READERS[kind](archive):
                out.write(f"{line[:left]}\n")
                left -= len(line) + 1
                if left <= 0:
                    out.write(f"{_LONGER}\n")
                    break
    except (zipfile.BadZipFile, ET.ParseError, KeyError, NotImplementedError, RuntimeError) as error:
        raise NoTextError(f"it is no whole {kind} document ({type(error).__name__})") from error
    except MemoryError as error:
        raise NoTextError("it unpacks to more than there is memory for") from error


def _pdf(source: str, target: str) -> None:
    if shutil.which("pdftotext") is None:
        raise NoTextError("its text cannot be taken out, because pdftotext is not installed here")
    # By its descriptor, which is the same file whatever has become of its name.
    command = ["pdftotext", "-layout", "-enc", "UTF-8", "/dev/stdin", "-"]
    with (
        tempfile.TemporaryFile() as said,
        open(source, "rb") as data,
        open(target, "wb") as out,
        subprocess.Popen(command, stdin=data, stdout=subprocess.PIPE, stderr=said) as process,
    ):
        whole, empty = _copy_pages(cast("IO[bytes]", process.stdout), out)
        if not whole:
            process.kill()
        elif process.wait():
            said.seek(0)
            reason = said.read(200).decode("utf-8", "replace").strip().partition("\n")[0]
            raise NoTextError(reason or f"pdftotext ended with {process.returncode}")
        if empty:
            raise NoTextError("it has no text; its pages may be pictures")


def _copy_pages(text: IO[bytes], out: IO[bytes]) -> tuple[bool, bool]:
    """Say where pages begin, behind form feeds here; returns whether this is all, and whether nothing."""
    left, ended, begun, empty = _TEXT_CHARACTERS, 0, False, True
    while left > 0 and (piece := text.read(_PIECE_BYTES)):
        for number, part in enumerate(piece.split(b"\f")):
            if number:
                ended, begun = ended + 1, False
            if part and not begun:
                out.write(b"[page %d]\n" % (ended + 1))
                begun = True
            out.write(part)
            empty = empty and not part.strip()
        left -= len(piece)
    if left <= 0:
        out.write(f"\n{_LONGER}\n".encode())
    return left > 0, empty


def _words(archive: zipfile.ZipFile) -> Iterator[str]:
    yield from _paragraphs(archive, "word/document.xml", "p", "t")


def _slides(archive: zipfile.ZipFile) -> Iterator[str]:
    for number, name in enumerate(_numbered(archive, "ppt/slides/slide"), start=1):
        yield f"[slide {number}]"
        yield from _paragraphs(archive, name, "p", "t")


def _open_document(archive: zipfile.ZipFile) -> Iterator[str]:
    for element in _elements(archive, "content.xml"):
        if _tag(element) in ("p", "h"):
            yield "".join(element.itertext())
            element.clear()


def _sheets(archive: zipfile.ZipFile) -> Iterator[str]:
    """A line a row, cells divided by tabs; formulas by their last value."""
    shared: list[str] = []
    if "xl/sharedStrings.xml" in archive.namelist():
        for element in _elements(archive, "xl/sharedStrings.xml"):
            if _tag(element) == "si":
                shared.append("".join(e.text or "" for e in element.iter() if _tag(e) == "t"))
                element.clear()
    for number, name in enumerate(_numbered(archive, "xl/worksheets/sheet"), start=1):
        yield f"[sheet {number}]"
        for element in _elements(archive, name):
            if _tag(element) == "row":
                yield "\t".join(_cells(element, shared))
                element.clear()


def _cells(row: ET.Element, shared: list[str]) -> Iterator[str]:
    column = 0
    for cell in row:
        wanted = _column(cell.get("r", ""))
        while column + 1 < min(wanted, 1_000):
            column += 1
            yield ""
        column += 1
        text = "".join(e.text or "" for e in cell.iter() if _tag(e) in ("v", "t"))
        if cell.get("t") == "s":
            text = shared[int(text)] if text.isdecimal() and int(text) < len(shared) else ""
        yield text.replace("\t", " ").replace("\n", " ")


def _column(reference: str) -> int:
    """The number of a column: A is 1, AA is 27."""
    number = 0
    for letter in reference.rstrip("0123456789"):
        number = number * 26 + ord(letter.upper()) - 64
    return number


def _paragraphs(archive: zipfile.ZipFile, name: str, paragraph: str, run: str) -> Iterator[str]:
    for element in _elements(archive, name):
        if _tag(element) == paragraph:
            yield "".join(
                {run: e.text or "", "tab": "\t", "br": "\n"}.get(_tag(e), "") for e in element.iter()
            )
            element.clear()


def _numbered(archive: zipfile.ZipFile, start: str) -> list[str]:
    """Parts `start1.xml`, `start2.xml`, … in the order of their numbers."""
    found = {}
    for name in archive.namelist():
        number = name.removeprefix(start).removesuffix(".xml")
        if name.startswith(start) and number.isdecimal():
            found[int(number)] = name
    return [found[number] for number in sorted(found)]


def _elements(archive: zipfile.ZipFile, name: str) -> Iterator[ET.Element]:
    """The elements of a part, each once it is complete."""
    if archive.getinfo(name).file_size > _PART_BYTES:
        raise NoTextError("it is too large")
    with archive.open(name) as part:
        depth = 0
        # Entities that grow are refused by expat, and this process has limits of memory and time.
        for event, element in ET.iterparse(part, ("start", "end")):  # noqa: S314
            if event == "end":
                depth -= 1
                yield element
            elif (depth := depth + 1) > _DEPTH:
                # A tree that is all depth takes its end out of memory, and then no error gets out either.
                raise NoTextError("its elements are nested too deeply")


def _tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


_READERS = {"docx": _words, "pptx": _slides, "xlsx": _sheets, "odt": _open_document}

if __name__ == "__main__":
    try:
        main(*sys.argv[1:4])
    except NoTextError as error:
        sys.exit(str(error))
