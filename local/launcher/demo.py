"""`./berth demo`: a fresh Berth, a bot, a real file and a real question, from the first message to the chart.

It exits with 0 only when the chart arrived whole and the request that must be denied was denied. Everything
it started and made is gone afterwards, whatever happened, but for the chart.
"""

import argparse
import asyncio
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from local.client import Model
from local.demo.errors import DemoError
from local.demo.narrator import receipt_text
from local.demo.play import Result, play, save
from local.demo.screen import Screen, harmless
from local.demo.story import recorded, spoken, typed
from local.demo.trade import trade
from local.launcher.errors import LauncherError
from local.launcher.image import image_root
from local.launcher.interruption import clean_up_in_peace, end_as_interrupted
from local.launcher.terminal import say, step
from local.stack import LocalStack, StackError

FOLDER = Path("berth-demo")


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    model = _model(options)
    end_as_interrupted()
    try:
        with _state(keep=options.keep) as state:
            if options.trade:
                _trade(state)
            else:
                _perform(state, model, options.out, keep=options.keep)
    except (StackError, DemoError) as error:
        raise LauncherError(str(error)) from error
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="berth demo")
    parser.add_argument(
        "--out", type=Path, default=FOLDER, help="the folder for the chart (default: %(default)s)"
    )
    parser.add_argument("--keep", action="store_true", help="keep the state, to look at it with berth dev")
    parser.add_argument(
        "--trade", action="store_true", help="propose orders on the paper venue instead, and ask here"
    )
    parser.add_argument(
        "--scripted", action="store_true", help="have a recorded conversation with a model played"
    )
    parser.add_argument("--openai", metavar="URL", help="ask a model of this OpenAI-compatible server")
    parser.add_argument("--model", metavar="NAME", help="the model's name, with --openai")
    parser.add_argument("--key-env", metavar="NAME", help="the environment variable with the server's key")
    options = parser.parse_args(arguments)
    if options.openai is None and (options.model or options.key_env):
        parser.error("--model and --key-env belong to --openai URL")
    if sum((options.trade, options.scripted, options.openai is not None)) > 1:
        parser.error("--trade, --scripted and --openai exclude each other")
    if options.openai is not None and not options.model:
        parser.error("--openai needs --model NAME")
    return options


def _model(options: argparse.Namespace) -> Model:
    if options.scripted:
        return Model("scripted", recording=recorded())
    if options.openai is None:
        return Model()
    key = os.environ.get(options.key_env, "") if options.key_env else ""
    if options.key_env and not key:
        raise LauncherError(f"the environment variable {options.key_env} is not set")
    return Model("openai", options.openai, options.model, key)


@contextmanager
def _state(*, keep: bool) -> Iterator[Path]:
    state = Path(tempfile.mkdtemp(prefix="berth-demo-"))
    try:
        yield state
    finally:
        clean_up_in_peace()
        if keep:
            say(f"\nThe state is kept: ./berth dev --state {state}")
        else:
            shutil.rmtree(state)


def _trade(state: Path) -> None:
    with ExitStack() as cleanup:
        with step("Starting a fresh Berth"):
            stack = cleanup.enter_context(LocalStack(state, image_root=image_root()))
        cleanup.callback(clean_up_in_peace)
        asyncio.run(trade(stack, screen=_screen(), new_id=partial(secrets.token_hex, 8), ask=_ask))


def _ask(question: str) -> str:
    """The person's answer; nothing where nobody is there to give one."""
    say(question)
    return sys.stdin.readline().strip()


def _screen() -> Screen:
    width = shutil.get_terminal_size().columns
    return Screen(sys.stdout, alive=sys.stdout.isatty(), width=width, clock=time.monotonic)


def _perform(state: Path, model: Model, folder: Path, *, keep: bool) -> None:
    started = time.monotonic()
    with ExitStack() as cleanup:
        with step("Starting a fresh Berth"):
            stack = cleanup.enter_context(LocalStack(state, image_root=image_root()))
        cleanup.callback(clean_up_in_peace)
        serving = time.monotonic() - started
        acts = typed() if model.provider == "manual" else spoken()
        screen = _screen()
        new_id = partial(secrets.token_hex, 8)
        result = asyncio.run(play(stack, acts, model=model, screen=screen, folder=folder, new_id=new_id))
        _sum_up(screen, result, serving, time.monotonic() - started)
        if keep:
            with step("Saving the computer's files"):
                asyncio.run(save(stack))


def _sum_up(screen: Screen, result: Result, serving: float, whole: float) -> None:
    facts = result.facts
    commands = [finish for finish in facts.finishes if finish.state]
    inside = sum(finish.milliseconds for finish in commands) / 1000
    boot = f", the computer {facts.boot_seconds:.2f} s" if facts.boot_seconds is not None else ""
    screen.line(f"\n{screen.paint('bold', 'Summary')}\n")
    screen.line(f"    time       {whole:.1f} s in all; Berth started in {serving:.1f} s{boot}")
    screen.line(
        f"    calls      {len(facts.finishes)}, of them {len(commands)} commands that took {inside:.1f} s"
    )
    screen.line("    network    every request out of the computer:")
    for receipt in facts.receipts:
        show = screen.tick if receipt.allowed else screen.cross
        show(harmless(receipt_text(receipt)), " " * 15)
    screen.line(f"    chart      {result.kind}, {result.artifact.size:,} bytes, sha256 as recorded")
    screen.line(f"               {result.artifact.sha256}")
    screen.line("")
    screen.tick(f"The chart is {result.chart}")
