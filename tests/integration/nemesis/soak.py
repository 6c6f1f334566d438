"""`./berth soak`: random histories under faults, for as long as it is told, each judged by the checkers.

It says of each history what was done to it. One that breaks a promise is printed whole with its seed, and the
soak ends with 1; `--seed` runs that one again.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from local.launcher.interruption import end_as_interrupted
from local.launcher.main import INTERRUPTED
from local.stack import LocalStack, StackError
from tests.integration.egress.outside import Outside
from tests.integration.nemesis.checkers import problems
from tests.integration.nemesis.history import History
from tests.integration.nemesis.runner import LONG, run_history

SEED_MAX = 1_000_000
HISTORIES_A_STACK = 20


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    end_as_interrupted()
    deadline = time.monotonic() + options.minutes * 60
    seeds = [options.seed] if options.seed is not None else None
    count = bad = 0
    while not count or (time.monotonic() < deadline and not bad):
        with ExitStack() as cleanup:
            folder = Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="berth-soak-")))
            outside = cleanup.enter_context(Outside())
            try:
                stack = cleanup.enter_context(LocalStack(folder, outside=outside.address, faults=True))
            except StackError as error:
                sys.stderr.write(f"berth: {error}\n")
                return 1
            for _ in range(HISTORIES_A_STACK):
                seed = seeds[0] if seeds else random.SystemRandom().randrange(SEED_MAX)
                began = time.monotonic()
                history = asyncio.run(run_history(stack, outside, seed, LONG))
                count += 1
                bad += _told(history, time.monotonic() - began)
                if bad or seeds or time.monotonic() >= deadline:
                    break
            if bad and (log := folder / "logs/host.log").exists():
                sys.stdout.write(f"\nThe host's log, its end:\n{log.read_text(errors='replace')[-20_000:]}\n")
        if seeds and not options.minutes:
            break
    sys.stdout.write(f"{count} histories, {bad} of them broke a promise\n")
    return 1 if bad else 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="berth soak")
    parser.add_argument("--minutes", type=float, default=10.0, help="for how long (%(default)s)")
    parser.add_argument("--seed", type=int, help="run this history, again and again for the minutes given")
    return parser.parse_args(arguments)


def _told(history: History, seconds: float) -> bool:
    """Print how a history went; returns whether it broke a promise."""
    found = problems(history)
    mark = "✗" if found else "✓"
    struck = "; ".join(fault.what.splitlines()[0] for fault in history.faults)
    slowest = max(history.operations, key=lambda op: op.ended - op.began)
    sys.stdout.write(
        f"{mark} seed {history.seed}: {len(history.operations)} operations in {seconds:.0f} s, "
        f"the slowest {slowest.ended - slowest.began:.0f} s ({slowest.kind}); {struck}\n"
    )
    if found:
        sys.stdout.write("\n" + "\n".join(found) + "\n\n" + history.told() + "\n")
        sys.stdout.write(f"\nAgain with: ./berth soak --minutes 2 --seed {history.seed}\n")
    sys.stdout.flush()
    return bool(found)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
