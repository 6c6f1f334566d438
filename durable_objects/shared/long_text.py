"""A text that may be too long to be copied: it is held once, as UTF-8 in pieces, and read a piece at a time.

Python holds a text with one emoji in it at four bytes a character, and each step that joins, parses or
encodes such a text makes another. A file of 5 MB would so take more memory than a Worker has.
"""

from collections.abc import Iterable, Iterator

# At most: four bytes a character, and a row of a Durable Object holds 2 MB.
PIECE_CHARACTERS = 64 * 1024


class LongText:
    """Added to at its end. Halves of characters, which nothing can store, become question marks."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.characters = 0
        self.size = 0
        """In bytes."""
        self._pieces: list[bytes] = []
        self._last: list[str] = []
        self._last_characters = 0
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        for start in range(0, len(text), PIECE_CHARACTERS):
            piece = text[start : start + PIECE_CHARACTERS]
            if self._last_characters + len(piece) > PIECE_CHARACTERS:
                self._close()
            self._last.append(piece)
            self._last_characters += len(piece)
            self.characters += len(piece)
            self.size += len(piece) if piece.isascii() else len(_encoded(piece))

    def _close(self) -> None:
        self._pieces.append(_encoded("".join(self._last)))
        self._last, self._last_characters = [], 0

    def __iter__(self) -> Iterator[str]:
        """Its pieces, of `PIECE_CHARACTERS` at most."""
        for piece in self._pieces:
            yield piece.decode()
        if self._last:
            yield _encoded("".join(self._last)).decode()

    def __str__(self) -> str:
        return "".join(self)

    def beginning(self, characters: int) -> str:
        found: list[str] = []
        for piece in self:
            found.append(piece[:characters])
            characters -= len(piece)
            if characters <= 0:
                break
        return "".join(found)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
