"""What a model sees of a command's output: all of it, or its head and its tail.

Memory stays flat whatever comes. The excerpt is never longer than the limit, the line in the
middle included, and says what was cut and where the whole is.
"""

from dataclasses import dataclass, field

from contracts.limits import OUTPUT_CHARACTERS, OUTPUT_HEAD_CHARACTERS


@dataclass(frozen=True)
class Excerpt:
    text: str
    cut_characters: int
    """Those of what was never read are its bytes."""
    cut_lines: int | None
    """None where nobody has read what was cut."""


@dataclass
class OutputWindow:
    characters: int = 0
    newlines: int = 0
    left_out: int = 0
    """Bytes of output that were never read."""
    _head: str = ""
    _tail: list[str] = field(default_factory=list)
    _tail_size: int = 0

    def add(self, text: str) -> None:
        self.characters += len(text)
        self.newlines += text.count("\n")
        room = OUTPUT_CHARACTERS - len(self._head)
        if room > 0:
            self._head += text[:room]
        # The tail keeps whole pieces and drops the oldest while the rest is still long enough.
        piece = text[-OUTPUT_CHARACTERS:]
        self._tail.append(piece)
        self._tail_size += len(piece)
        while self._tail_size - len(self._tail[0]) >= OUTPUT_CHARACTERS:
            self._tail_size -= len(self._tail.pop(0))
        if len(self._tail) > 256:
            self._tail = ["".join(self._tail)[-OUTPUT_CHARACTERS:]]
            self._tail_size = len(self._tail[0])

    def excerpt(self, log_path: str) -> Excerpt:
        if self.characters <= OUTPUT_CHARACTERS:
            return Excerpt(self._head, self.left_out, None if self.left_out else 0)
        head = self._head[:OUTPUT_HEAD_CHARACTERS]
        longest = _middle(self.characters + self.left_out, self.newlines, log_path)
        tail_size = OUTPUT_CHARACTERS - len(head) - len(longest)
        tail = "".join(self._tail)[-tail_size:]
        cut = self.characters - len(head) - len(tail) + self.left_out
        lines = None if self.left_out else self.newlines - head.count("\n") - tail.count("\n")
        return Excerpt(head + _middle(cut, lines, log_path) + tail, cut, lines)


def _middle(characters: int, lines: int | None, log_path: str) -> str:
    told = f"{characters} characters" if lines is None else f"{characters} characters, {lines} lines"
    return f"\n[… {told} cut here; the log is {log_path} …]\n"


def valid_text(text: str) -> str:
    """The text without lone surrogates, which JSON can carry and UTF-8 cannot."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
