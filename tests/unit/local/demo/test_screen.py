"""The screen: plain lines in a log, one live line below the others on a terminal."""

import asyncio
import io

import pytest

from local.demo.screen import Screen, harmless


def screen(*, alive: bool) -> tuple[Screen, io.StringIO]:
    out = io.StringIO()
    return Screen(out, alive=alive, width=20, clock=lambda: 0.0), out


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢", "plain é 漢"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link", "link"),
        ("10 %\r20 %\r", "20 %"),
        ("a\tb", "a   b"),
        ("\x00\x08\x7f\u202eabc\u2028", "abc"),
    ],
)
def test_untrusted_text_loses_what_steers(text: str, shown: str) -> None:
    assert harmless(text) == shown


def test_log_has_lines_only() -> None:
    shown, out = screen(alive=False)
    shown.wait("running")
    shown.tick("done")
    assert out.getvalue() == "✓ done\n"
    assert shown.fitting("x" * 100, 4) == "x" * 100


def test_terminal_keeps_the_live_line_below() -> None:
    shown, out = screen(alive=True)
    shown.wait("running")
    shown.line("first")
    text = out.getvalue()
    assert text.index("running") < text.index("first") < text.rindex("running")
    shown.wait("")
    assert out.getvalue().endswith("\r\x1b[K")
    assert shown.fitting("x" * 100, 4) == "x" * 15 + "…"


async def test_live_line_turns_until_the_work_is_done() -> None:
    shown, out = screen(alive=True)
    async with shown.turning():
        shown.wait("running")
        async with asyncio.timeout(60):
            while out.getvalue().count("running") < 3:
                await asyncio.sleep(0)
    assert out.getvalue().endswith("\r\x1b[K")
