"""What Berth relies on in `ctx.container`, through workerd: our engine has it, and Docker has it."""

import asyncio
import concurrent.futures
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from tests.integration.engine.rigging import DEADLINE_SECONDS, Box, OperationError, wait_for

NewBox = Callable[[], Box]


def test_a_started_container_runs_and_answers(box: Box) -> None:
    assert box.call("state") == {"running": True}
    assert box.fetch("/boot")["status"] == 200


def test_a_second_start_of_a_running_container_is_refused(box: Box) -> None:
    with pytest.raises(OperationError, match="already running"):
        box.call("start")


def test_the_first_process_gets_the_variables_it_was_given(new_box: NewBox) -> None:
    box = new_box().start(env={"BERTH_NETWORK": "testnet", "ODD": "a=b c\n$"})
    found = box.call("fetch", port=8080, path="/environment")["text"]
    assert '"BERTH_NETWORK": "testnet"' in found
    assert '"ODD": "a=b c\\n$"' in found


def test_a_port_on_which_nothing_listens_is_an_error_and_not_a_wait(box: Box) -> None:
    with pytest.raises(OperationError, match="not listening"):
        box.fetch("/", port=81)


def test_bodies_stream_through_whole_in_both_directions(box: Box) -> None:
    body = bytes(range(256)) * 32768
    assert box.request("POST", "/echo", body) == (200, body)


def test_a_large_answer_arrives_whole(box: Box) -> None:
    status, body = box.request("GET", "/bytes/33554432")
    assert (status, len(body)) == (200, 33554432)


def test_many_requests_at_once_are_all_answered(box: Box) -> None:
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: box.fetch("/boot")["status"], range(200)))
    assert found == [200] * 200


async def test_a_web_socket_passes_through(box: Box) -> None:
    url = box.web_socket_url("/ws")
    async with aiohttp.ClientSession() as session, session.ws_connect(url) as web_socket:
        for text in ("one", "two"):
            await web_socket.send_str(text)
            assert await asyncio.wait_for(web_socket.receive_str(), DEADLINE_SECONDS) == f"echo {text}"


def test_exec_returns_both_streams_and_the_exit_code(box: Box) -> None:
    done = box.exec("/bin/sh", "-c", "echo out; echo err >&2; exit 3")
    assert (done["stdout"], done["stderr"], done["exit"]) == ("out\n", "err\n", 3)


def test_exec_passes_input_and_its_end(box: Box) -> None:
    text = "line\n" * 100_000
    done = box.exec("/usr/bin/wc", "-c", stdin=text)
    assert done["stdout"].split()[0] == str(len(text))


def test_exec_has_a_folder_and_variables_of_its_own(box: Box) -> None:
    done = box.exec("/bin/sh", "-c", "pwd; echo $X", cwd="/tmp", env={"X": "given"})
    assert done["stdout"] == "/tmp\ngiven\n"


def test_exec_of_a_missing_program_fails_with_127(box: Box) -> None:
    assert box.exec("/nowhere")["exit"] == 127


def test_exec_can_be_killed(box: Box) -> None:
    assert box.exec("/bin/sleep", "600", kill=9)["exit"] == 137


def watched(pool: concurrent.futures.Executor, box: Box) -> concurrent.futures.Future[Any]:
    """Have the object wait for its container's end; it does when this returns."""
    watching = pool.submit(box.call, "monitor")
    wait_for("the watch", lambda: box.call("watched")["watched"])
    return watching


def test_monitor_ends_with_the_exit_code(box: Box) -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        watching = watched(pool, box)
        box.request("POST", "/exit/0")
        assert watching.result(DEADLINE_SECONDS) == {"exit": 0}
    wait_for("the end", lambda: box.call("state") == {"running": False})


def test_monitor_says_another_exit_code(box: Box) -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        watching = watched(pool, box)
        box.request("POST", "/exit/5")
        assert watching.result(DEADLINE_SECONDS)["exit"] == 5


def test_a_signal_reaches_the_first_process(box: Box) -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        watching = watched(pool, box)
        box.call("signal", number=15)
        assert watching.result(DEADLINE_SECONDS)["exit"] == 7


def test_a_destroyed_container_leaves_nothing_to_the_next(box: Box) -> None:
    box.sh("echo left > /workspace/file")
    assert box.call("destroy") == {"running": False}
    box.start()
    assert "No such file" in box.sh("cat /workspace/file")


def test_a_container_that_ended_can_be_started_again(box: Box) -> None:
    box.request("POST", "/exit/1")
    wait_for("the end", lambda: box.call("state") == {"running": False})
    box.start()
    assert box.call("state") == {"running": True}


def test_a_snapshot_brings_files_back_as_they_were(box: Box) -> None:
    box.sh(
        "cd /workspace; mkdir -p a/b; echo one > a/b/f; chmod 640 a/b/f; ln a/b/f hard; ln -s a/b/f soft;"
        "ln -s /etc/passwd out; truncate -s 1G sparse; printf x > run; chmod 755 run; echo n > ' odd*\"name';"
        "mkdir locked; echo s > locked/s; chmod 000 locked/s; chmod 500 locked; touch -d 2001-02-03 a/b"
    )
    show = (
        "cd /workspace; find . -printf '%p %y %m %s %l %n %T@\\n' | grep -v '^\\. ' | sort; cat soft;"
        "du -k sparse; stat -c %U:%G a/b/f"
    )
    before = box.sh(show)
    snapshot = box.call("snapshot")
    box.call("destroy")
    box.start(containerSnapshot=snapshot)
    assert box.sh(show) == before
    assert "one\n" in before
    assert "berth:berth" in before


def test_the_same_snapshot_starts_two_containers_that_do_not_share(box: Box, new_box: NewBox) -> None:
    box.sh("echo first > /workspace/f")
    snapshot = box.call("snapshot")
    other = new_box().start(containerSnapshot=snapshot)
    other.sh("echo second >> /workspace/f")
    assert box.sh("cat /workspace/f") == "first\n"
    assert other.sh("cat /workspace/f") == "first\nsecond\n"


def test_a_snapshot_of_a_restored_container_can_be_restored(box: Box) -> None:
    box.sh("echo 1 > /workspace/f")
    for round_number in ("2", "3"):
        snapshot = box.call("snapshot")
        box.call("destroy")
        box.start(containerSnapshot=snapshot)
        box.sh(f"echo {round_number} >> /workspace/f")
    assert box.sh("cat /workspace/f") == "1\n2\n3\n"


def test_an_unknown_snapshot_starts_nothing(new_box: NewBox) -> None:
    box = new_box()
    snapshot = {"id": "00000000-0000-4000-8000-000000000000", "size": 1}
    box.start(server=False, containerSnapshot=snapshot)
    wait_for("the refusal", lambda: box.call("state") == {"running": False})
    with pytest.raises(OperationError):
        box.fetch("/boot")


def test_a_directory_snapshot_appears_in_another_container(box: Box, new_box: NewBox) -> None:
    box.sh(
        "mkdir -p /workspace/data/deep; echo kept > /workspace/data/deep/f; chmod 600 /workspace/data/deep/f"
    )
    snapshot = box.call("snapshotDirectory", dir="/workspace/data")
    other = new_box().start(directorySnapshots=[{"snapshot": snapshot, "mountPoint": "/data"}])
    assert other.sh(
        "cat /data/deep/f; stat -c %a /data/deep/f; echo more >> /data/deep/f; cat /data/deep/f"
    ) == ("kept\n600\nkept\nmore\n")
    assert box.sh("cat /workspace/data/deep/f") == "kept\n"


def test_a_directory_snapshot_of_a_missing_folder_fails(box: Box) -> None:
    with pytest.raises(OperationError, match="not found"):
        box.call("snapshotDirectory", dir="/workspace/nowhere")
