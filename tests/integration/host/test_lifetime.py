"""Starting, stopping, crashing and changing the Worker, and what is kept through it."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.integration.host.probe_host import DEADLINE_SECONDS, WORKER, ProbeHost, until


def _group(leader: int) -> list[str]:
    """Return the command names of a process group that are still alive."""
    return [name for _pid, name in _members(leader)]


def _members(leader: int) -> Iterator[tuple[int, str]]:
    """The ids and names of a process group's members that are still alive."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, _, rest = stat.read_text().partition(" (")
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended while we looked
        name, _, fields = rest.rpartition(") ")
        state, _parent, group, *_ = fields.split()
        if int(group) == leader and state != "Z":
            yield int(pid), name


def _workerd(leader: int) -> int:
    (found,) = (pid for pid, name in _members(leader) if name == "workerd")
    return found


def test_state_and_port_are_kept_over_a_stop(fresh_probe: ProbeHost) -> None:
    assert fresh_probe.get("count") == 1
    url = fresh_probe.url
    fresh_probe.host.stop()
    fresh_probe.start()
    assert fresh_probe.url == url
    assert fresh_probe.get("count") == 2


def test_state_is_kept_when_the_host_is_killed(fresh_probe: ProbeHost) -> None:
    assert fresh_probe.get("count") == 1
    fresh_probe.host.kill()
    fresh_probe.start()
    assert fresh_probe.get("count") == 2


def test_alarm_that_was_due_while_the_host_was_down_rings_when_it_is_up(fresh_probe: ProbeHost) -> None:
    fresh_probe.get("alarm", ms=400)
    fresh_probe.host.kill()
    fresh_probe.start()
    until(lambda: fresh_probe.get("notes") == ["alarm"])


def test_workerd_that_dies_is_started_again_with_its_state(fresh_probe: ProbeHost) -> None:
    assert fresh_probe.get("count") == 1
    os.kill(_workerd(fresh_probe.host.child.pid), signal.SIGKILL)
    fresh_probe.host.await_restart()
    assert fresh_probe.get("count") == 2


def test_an_interpreter_that_dies_is_replaced_with_the_state_kept(fresh_probe: ProbeHost) -> None:
    assert fresh_probe.get("count") == 1
    assert httpx.get(f"{fresh_probe.url}/api/die", timeout=DEADLINE_SECONDS).status_code >= 500
    fresh_probe.host.await_restart()
    assert fresh_probe.get("count") == 2


def test_stopped_host_leaves_no_process(fresh_probe: ProbeHost) -> None:
    leader = fresh_probe.host.child.pid
    assert "workerd" in _group(leader)
    fresh_probe.host.stop()
    until(lambda: _group(leader) == [])


def test_host_ends_with_whoever_started_it(fresh_probe: ProbeHost) -> None:
    leader = fresh_probe.host.child.pid
    fresh_probe.host.child.close_stdin()
    until(lambda: _group(leader) == [])


def test_changed_worker_is_taken_with_the_state_kept(fresh_probe: ProbeHost) -> None:
    assert fresh_probe.get("count") == 1
    entry = (WORKER / "probe_entry.py").read_text()
    added = entry.replace("return self.env.GREETING", 'return "changed"').replace(
        "class Default(", "class Later(WorkerEntrypoint):\n    pass\n\n\nclass Default("
    )
    fresh_probe.write_bundle({"probe_entry.py": added.replace('"Teller"]', '"Teller", "Later"]')})
    assert fresh_probe.host.await_reload()["reloaded"]
    assert fresh_probe.get("hello") == "changed"
    assert fresh_probe.get("count") == 2


def test_broken_worker_says_why_and_the_next_change_brings_it_back(fresh_probe: ProbeHost) -> None:
    fresh_probe.write_bundle({"probe_entry.py": "import nothing_of_this_name\n"})
    broken = fresh_probe.host.await_reload()
    assert not broken["reloaded"]
    assert "No module named 'nothing_of_this_name'" in broken["error"]
    fresh_probe.write_bundle()
    assert fresh_probe.host.await_reload()["reloaded"]
    assert fresh_probe.get("hello") == "hello"
