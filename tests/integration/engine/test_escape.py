"""What a program in a computer can see and do: nothing of the host, nothing of its neighbours."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.engine.rigging import Box, EngineProcess

NewBox = Callable[[], Box]
pytestmark = pytest.mark.usefixtures("engine")


@pytest.fixture(scope="module")
def prisoner(rig: object, engine: EngineProcess) -> Iterator[Box]:
    box: Box = rig.box("prisoner")  # type: ignore[attr-defined]
    box.start()
    yield box
    box.call("destroy")


def test_it_is_nobody_special(prisoner: Box) -> None:
    assert prisoner.sh("id").strip() == "uid=1000(berth) gid=1000(berth) groups=1000(berth)"


@pytest.mark.parametrize("process", ["self", "1"])
def test_it_has_no_capability_and_cannot_gain_one(prisoner: Box, process: str) -> None:
    status = dict(line.split(":\t", 1) for line in prisoner.sh(f"cat /proc/{process}/status").splitlines())
    for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[kind], 16) == 0
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")


def test_the_root_folder_holds_the_system_and_its_own_places(prisoner: Box) -> None:
    known = {"bin", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "opt", "proc", "run", "sbin"}
    assert set(prisoner.sh("ls /").split()) <= known | {"tmp", "usr", "var", "workspace"}
    places = prisoner.sh("ls /home /usr/local /opt").split()
    assert places == ["/home:", "berth", "/opt:", "berth", "/usr/local:"]


@pytest.mark.parametrize(
    "path",
    ["/etc/shadow", "/etc/gshadow", "/etc/ssh", "/etc/sudoers", "/root", "/etc/pip.conf",
     "/etc/ssl/private", "/sys", "/boot", "/var/log", "/etc/fstab", "/etc/crontab"],
)  # fmt: skip
def test_what_belongs_to_the_host_is_not_there(prisoner: Box, path: str) -> None:
    assert "No such file" in prisoner.sh(f"cat {path}")


def test_host_names_accounts_and_addresses_are_its_own(prisoner: Box) -> None:
    assert prisoner.sh("hostname; cat /etc/hostname").split() == ["berth", "berth"]
    assert prisoner.sh("cut -d: -f1 /etc/passwd").split() == ["root", "berth", "nobody"]
    assert os.uname().nodename not in prisoner.sh("cat /etc/hosts /etc/hostname /proc/sys/kernel/hostname")
    assert prisoner.sh("cat /proc/net/dev | tail -n +3 | cut -d: -f1").split() == ["lo"]


@pytest.mark.parametrize(
    "path",
    ["/", "/usr", "/usr/bin", "/usr/local", "/etc", "/etc/cloudflare", "/dev", "/opt", "/var", "/run",
     "/run/berth", "/home", "/proc"],
)  # fmt: skip
def test_only_its_own_places_can_be_written(prisoner: Box, path: str) -> None:
    assert prisoner.exec("/bin/sh", "-c", f"echo x > {path}/new")["exit"] != 0


@pytest.mark.parametrize("path", ["/workspace", "/home/berth", "/tmp", "/dev/shm", "/var/tmp"])
def test_its_own_places_can_be_written(prisoner: Box, path: str) -> None:
    assert prisoner.sh(f"echo x > {path}/new && cat {path}/new && rm {path}/new") == "x\n"


def test_the_private_tmp_has_a_limit(prisoner: Box) -> None:
    assert "No space left" in prisoner.sh("head -c 100000000 /dev/zero > /tmp/big; rm /tmp/big")


def test_it_sees_its_own_processes_only(prisoner: Box) -> None:
    seen = prisoner.sh("cat /proc/[0-9]*/comm").split()
    assert set(seen) <= {"python3", "bash", "cat", "sh"}
    assert "No such process" in prisoner.sh(f"kill -9 {os.getpid()}")


@pytest.mark.parametrize("call", ["reboot", "keyctl", "bpf", "perf_event_open", "add_key", "kexec_load"])
def test_forbidden_system_calls_are_refused(prisoner: Box, call: str) -> None:
    numbers = {
        "reboot": 169,
        "keyctl": 250,
        "bpf": 321,
        "perf_event_open": 298,
        "add_key": 248,
        "kexec_load": 246,
    }
    program = (
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True);"
        f"print(libc.syscall({numbers[call]}, 0, 0, 0, 0, 0), ctypes.get_errno())"
    )
    assert prisoner.python(program).strip() == "-1 1"


def test_io_uring_is_as_if_it_were_not_there(prisoner: Box) -> None:
    program = (
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True);"
        "print(libc.syscall(425, 1, 0), ctypes.get_errno())"
    )
    assert prisoner.python(program).strip() == "-1 38"


def test_it_cannot_type_into_a_terminal(prisoner: Box) -> None:
    program = "import fcntl, pty; master, slave = pty.openpty();fcntl.ioctl(slave, 0x5412, b'x')"
    assert "Operation not permitted" in prisoner.python(program)


@pytest.mark.parametrize(
    "program", ["su -c id", "sudo id", "mount -t tmpfs none /tmp", "chroot / id", "mknod /tmp/n c 1 3"]
)
def test_programs_for_root_do_nothing_for_it(prisoner: Box, program: str) -> None:
    assert "uid=0" not in prisoner.sh(program + " </dev/null")


def test_a_user_namespace_of_its_own_gives_it_nothing_of_the_host(prisoner: Box) -> None:
    """Chromium's sandbox needs them, so they are allowed; root in one is root over nothing."""
    found = prisoner.sh(
        "unshare -Urm sh -c 'id -u; cat /etc/shadow; mount -t tmpfs x /usr && ls -A /usr; echo x > /etc/new;"
        "mount -o remount,rw /etc; mount -o remount,rw /usr; echo x > /etc/new' 2>&1"
    )
    assert found.startswith("0\n")
    assert "No such file" in found
    assert "cannot create /etc/new" in found
    assert found.count("Read-only file system") == 2


def test_a_setuid_file_of_its_own_gives_nothing(prisoner: Box) -> None:
    assert "uid=1000" in prisoner.sh("cp /usr/bin/id /workspace/i; chmod 6755 /workspace/i; /workspace/i")


def test_its_files_belong_to_a_host_user_that_has_nothing_else(prisoner: Box, engine: EngineProcess) -> None:
    if os.geteuid() != 0:
        pytest.skip("only an engine that is root has users to give")
    prisoner.sh("echo x > /workspace/owned")
    [found] = (engine.state / "c").glob("*/fs/workspace/owned")
    assert found.stat().st_uid > 1_900_000_000
    assert found.parent.stat().st_uid == found.stat().st_uid
    assert found.parents[1].stat().st_mode & 0o077 == 0


def test_two_computers_share_neither_files_nor_network_nor_users(prisoner: Box, new_box: NewBox) -> None:
    other = new_box().start()
    other.sh("echo secret > /workspace/secret; echo secret > /tmp/secret")
    assert prisoner.sh("ls /workspace /tmp /home/berth | grep -c secret") == "0\n"
    # Both have a server on port 8080 of their loopback: each reaches its own.
    mine = prisoner.sh("curl -s --noproxy '*' http://127.0.0.1:8080/boot")
    theirs = other.sh("curl -s --noproxy '*' http://127.0.0.1:8080/boot")
    assert mine != theirs
    assert mine == prisoner.fetch("/boot")["text"]
    assert prisoner.sh("readlink /proc/1/ns/net") != other.sh("readlink /proc/1/ns/net")


def test_abstract_sockets_of_the_host_are_not_reachable(prisoner: Box) -> None:
    assert prisoner.sh("grep -c @ /proc/net/unix") == "0\n"


@pytest.fixture
def bait() -> Iterator[Path]:
    """A file of the host that everybody may read, and a folder that everybody may write."""
    with tempfile.TemporaryDirectory(prefix="berth-bait-", dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "host").write_text("host file")
        (folder / "host").chmod(0o644)
        yield folder


def test_a_commit_does_not_follow_links_out(new_box: NewBox, bait: Path) -> None:
    box = new_box().start()
    box.sh(f"ln -s {bait} /workspace/dir; ln -s {bait}/host /workspace/file; ln -s / /workspace/root")
    snapshot = box.call("snapshot")
    box.call("destroy")
    box.start(containerSnapshot=snapshot)
    assert box.sh("readlink /workspace/dir /workspace/file /workspace/root").split() == [
        str(bait),
        f"{bait}/host",
        "/",
    ]
    assert "No such file" in box.sh("cat /workspace/file")


def test_a_folder_swapped_for_a_link_during_commits_leads_nowhere(new_box: NewBox, bait: Path) -> None:
    box = new_box().start()
    box.exec(
        "/bin/bash",
        "-c",
        f"cd /workspace; mkdir real; echo mine > real/host; ln -s {bait} link; cp -r real spare;"
        "(for i in $(seq 3000); do mv -T spare x; mv -T link spare; mv -T x link; done)"
        " >/dev/null 2>&1 </dev/null &",
    )
    for _ in range(5):
        snapshot = box.call("snapshot")
    box.call("destroy")
    box.start(containerSnapshot=snapshot)
    assert "host file" not in box.sh("cat /workspace/*/host /workspace/*/*/host")


def test_packing_does_not_follow_links_out(new_box: NewBox, bait: Path) -> None:
    box = new_box().start()
    box.sh(f"ln -s {bait} /workspace/dir; mkdir /workspace/d; ln -s {bait}/host /workspace/d/f")
    other = new_box()
    snapshot = box.call("snapshotDirectory", dir="/workspace/d")
    other.start(directorySnapshots=[{"snapshot": snapshot, "mountPoint": "/data"}])
    assert "host file" not in other.sh("cat /data/f")
    with pytest.raises(Exception, match="not found"):
        box.call("snapshotDirectory", dir="/workspace/dir")
