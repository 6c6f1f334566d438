"""Tells a thread's events to a person, one after the other, as they happen.

It shows and never judges. Live output is printed line by line; what no live frame brought is taken from the
event that ends the call, so nothing of a short output is missing.
"""

from collections.abc import Mapping
from typing import Any

from local.client import Event
from local.demo.facts import Facts, Finish, Receipt, artifact_of, ending, finish_of
from local.demo.screen import Screen, harmless

MESSAGE_LINES = 8
OUTPUT_LINES = 24
GUTTER = "    "
BYTES = ("bytes", "kB", "MB")


class Narrator:
    def __init__(self, screen: Screen, *, typed: bool) -> None:
        self._screen = screen
        self._typed = typed
        """Whether the person's messages are the calls themselves, which then need not be named again."""
        self._output = Output()
        self._answer = ""

    def tell(self, event: Event, facts: Facts) -> None:
        data = event.data
        match event.type:
            case "message.created":
                self._message(data)
            case "computer.status" if data["state"] == "starting":
                self._screen.wait("the computer starts")
            case "computer.status" if data["state"] == "running" and facts.boot_seconds is not None:
                self._awake(facts.boot_seconds)
            case "tool.started":
                self._started(data)
            case "tool.output":
                self._show(self._output.add(data["offset"], data["text"]))
            case "tool.finished":
                self._finished(data)
            case "artifact.created":
                artifact = artifact_of(data)
                size = size_text(artifact.size)
                self._screen.tick(f"{harmless(artifact.name)}, {size}, {artifact.media_type}", GUTTER)
            case "notice":
                self._screen.line(GUTTER + self._screen.paint("dim", harmless(data["text"])))
            case "run.status" if data["error"]:
                self._screen.cross(harmless(data["error"]["message"]), GUTTER)

    def _message(self, data: Mapping[str, Any]) -> None:
        who = "You" if data["role"] == "user" else "Bot"
        text = data["text"].rstrip("\n")
        first, *rest = [harmless(line) for line in text.split("\n")] if text else [""]
        lines = [first] if text else []
        lines += rest if len(rest) <= MESSAGE_LINES else [f"({len(rest)} lines)"]
        lines += [f"+ {harmless(upload['name'])}, {size_text(upload['size'])}" for upload in data["uploads"]]
        for number, line in enumerate(lines):
            start = f"{self._screen.paint('cyan', who)} " if number == 0 else GUTTER
            self._screen.line(f"{start}{self._screen.fitting(line, len(GUTTER))}".rstrip())
        if data["role"] == "user":
            self._screen.wait("the bot reads" if self._typed else "the model thinks")

    def _awake(self, seconds: float) -> None:
        text = f"the computer was asleep and started in {seconds:.2f} s"
        self._screen.line(GUTTER + self._screen.paint("dim", text))
        self._screen.wait("running")

    def _started(self, data: Mapping[str, Any]) -> None:
        self._output = Output()
        if not self._typed:
            title = harmless(title_of(data["tool"], data["arguments"]))
            self._screen.line(GUTTER + self._screen.fitting(title, len(GUTTER)))
        self._screen.wait("running")

    def _finished(self, data: Mapping[str, Any]) -> None:
        finish = finish_of(data)
        self._show(self._output.finish(data["text"]))
        if self._output.left_out:
            self._show([f"… {self._output.left_out} more lines"])
        took = f", {finish.milliseconds / 1000:.1f} s" if finish.state else ""
        show = self._screen.tick if finish.ok else self._screen.cross
        show(f"{harmless(ending(finish))}{took}", GUTTER)
        self._receipts(finish)
        self._screen.wait("" if self._typed else "the model thinks")

    def _receipts(self, finish: Finish) -> None:
        for receipt in finish.receipts:
            show = self._screen.tick if receipt.allowed else self._screen.cross
            show(harmless(receipt_text(receipt)), GUTTER)

    def _show(self, lines: list[str]) -> None:
        for line in lines:
            text = self._screen.fitting(harmless(line), len(GUTTER) + 2)
            self._screen.line(f"{GUTTER}{self._screen.paint('dim', '│')} {text}".rstrip())


class Output:
    """The output of one call, joined to whole lines. Beyond a screenful lines are counted, not returned."""

    def __init__(self) -> None:
        self._seen = 0
        self._part = ""
        self._returned = 0
        self.left_out = 0

    def add(self, offset: int, text: str) -> list[str]:
        """A live frame: `offset` counts characters, and a jump means that frames were left out."""
        jumped = offset > self._seen
        new = text if jumped else text[self._seen - offset :]
        self._seen = max(self._seen, offset + len(text))
        *lines, self._part = ((self._part + "\n…\n" if jumped else self._part) + new).split("\n")
        return self._bounded(lines)

    def finish(self, whole: str) -> list[str]:
        """The call's result, which has what the live frames did not bring."""
        rest = whole[self._seen :] if len(whole) > self._seen else ""
        lines = (self._part + rest).split("\n")
        self._part = ""
        return self._bounded(lines[:-1] if not lines[-1] else lines)

    def _bounded(self, lines: list[str]) -> list[str]:
        shown = lines[: max(0, OUTPUT_LINES - self._returned)]
        self._returned += len(shown)
        self.left_out += len(lines) - len(shown)
        return shown


def title_of(tool: str, arguments: Mapping[str, Any]) -> str:
    name = tool.removeprefix("computer__")
    match arguments:
        case {"command": str(command)}:
            lines = command.strip().split("\n")
            return f"$ {lines[0]}" + (f" (and {len(lines) - 1} more lines)" if len(lines) > 1 else "")
        case {"path": str(path)}:
            return f"{name} {path}"
    return name


def receipt_text(receipt: Receipt) -> str:
    verdict = "allowed" if receipt.allowed else "DENIED"
    times = f" {receipt.count} times" if receipt.count > 1 else ""
    return f"{verdict} {receipt.method} {receipt.host}{times} ({receipt.reason})"


def size_text(size: int) -> str:
    value, unit = float(size), 0
    while value >= 1000 and unit < len(BYTES) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.0f} {BYTES[unit]}" if unit == 0 or value >= 10 else f"{value:.1f} {BYTES[unit]}"
