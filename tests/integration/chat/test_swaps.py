"""A computer swaps paths for links while its files are read and exported: nothing of outside comes out."""

import asyncio
import hashlib
from collections import Counter
from typing import Any

from tests.integration.chat.person import Person, Thread, of

FINE = "fine and only this\n" * 50
OUTSIDE = "never to be seen"
SECRETS = (OUTSIDE, "berth:x:", "root:x:", "/bin/bash", "HOME=", "PATH=", "BERTH_")
# One for each way in: the file itself is swapped, and a folder on the way to it.
PATHS = ("swapped", "folder/passwd", "folder/environ")
REFUSALS = {"path_outside_workspace", "not_found", "not_a_file", "invalid_request", "forbidden"}
THREADS, ROUNDS, CALLS = 5, 5, 10
# A command has 120 s, and is heard of some time later on a busy machine.
SECONDS_OF_ALL = 240.0

SWAPPER = f"""
import os, time
fine = {FINE!r}
os.makedirs("away", exist_ok=True)
for name in ("fine", "away/passwd", "away/environ"):
    with open(name, "w") as file: file.write(fine)
with open("/tmp/outside", "w") as file: file.write({OUTSIDE!r})
os.rename("away", "folder")
end = time.monotonic() + 110
turn = 0
while not os.path.exists("stop") and time.monotonic() < end:
    target = ("/etc/passwd", "/proc/self/environ", "/tmp/outside", "../../tmp/outside")[turn % 4]
    os.symlink(target, "next"); os.replace("next", "swapped")
    os.rename("folder", "away"); os.symlink(("/etc", "/proc/self")[turn % 2], "folder")
    open("ready", "w").close()
    time.sleep(0.0005)
    os.unlink("folder"); os.rename("away", "folder")
    os.link("fine", "next"); os.replace("next", "swapped")
    time.sleep(0.0005)
    turn += 1
print(turn)
"""


async def by_tools(thread: Thread, seen: Counter[str]) -> None:
    """Runs of exports, as many as a run may have, with as many reads beside them."""
    for round_ in range(ROUNDS):
        lines = []
        for call in range(CALLS):
            path = PATHS[(round_ + call) % len(PATHS)]
            lines += [f"/export {path}", f"/read {path}"]
        events = await thread.run("\n".join(lines))
        for artifact in of(events, "artifact.created"):
            assert artifact["sha256"] == hashlib.sha256(FINE.encode()).hexdigest()
            seen["exported"] += 1
        for finished in of(events, "tool.finished"):
            assert all(secret not in str(finished) for secret in SECRETS)
            if finished["error"] is not None:
                assert finished["error"]["code"] in REFUSALS, finished["error"]
                seen["refused to a tool"] += 1
            elif "fine and only this" in finished["text"]:
                assert finished["text"].count("fine and only this") == FINE.count("\n")
                seen["read"] += 1
        seen["calls"] += len(of(events, "tool.finished"))


async def by_page(person: Person, seen: Counter[str]) -> None:
    for turn in range(THREADS * ROUNDS * CALLS):
        path = f"/api/files/content?path={PATHS[turn % len(PATHS)]}"
        async with person.session.get(path, headers=person.headers) as response:
            if response.status == 200:
                assert await response.text() == FINE
                seen["downloaded"] += 1
            else:
                problem: dict[str, Any] = await response.json(content_type=None)
                assert all(secret not in str(problem) for secret in SECRETS)
                assert problem["code"] in REFUSALS, problem
                seen["refused to the page"] += 1


async def test_what_is_swapped_for_a_link_while_it_is_read_and_exported_leaks_nothing(thread: Thread) -> None:
    person = thread.person
    threads = [await person.thread() for _ in range(THREADS)]
    await thread.run(f"/write swap.py\n{SWAPPER}")
    swapping = asyncio.create_task(
        thread.exec("rm -f stop ready; /usr/bin/python3 swap.py", seconds=SECONDS_OF_ALL)
    )
    await threads[0].exec("until [ -e ready ]; do sleep 0.05; done")
    seen: Counter[str] = Counter()
    try:
        await asyncio.gather(by_page(person, seen), *(by_tools(one, seen) for one in threads))
    finally:
        await threads[0].exec("touch stop")
        swaps = int((await swapping)["output"])
    assert seen["calls"] == 2 * THREADS * ROUNDS * CALLS
    assert seen["downloaded"] + seen["refused to the page"] == THREADS * ROUNDS * CALLS
    # Both states were met in each of the ways, so the swaps came between.
    assert swaps > 100
    assert min(seen[word] for word in ("exported", "read", "downloaded")) > 10, seen
    assert min(seen[word] for word in ("refused to a tool", "refused to the page")) > 10, seen
