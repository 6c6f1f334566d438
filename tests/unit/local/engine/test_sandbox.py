"""The command lines of computers and tools: what is in them, and above all what is not."""

from pathlib import Path

import pytest

from local.engine.sandbox import Folder, Plan, computer_arguments, tool_arguments
from local.engine.system import System

SYSTEM = System(Path("/"), Path("/state/etc"), Path("/build/computer"), is_image=False)


@pytest.fixture
def arguments() -> list[str]:
    plan = Plan(
        system=SYSTEM,
        folders=[
            Folder("/state/c/1/fs/home", "/home/berth"),
            Folder("/state/c/1/fs/workspace", "/workspace"),
        ],
        certificates="/state/c/1/cloudflare",
        command=["/usr/bin/python3", "-c", "--ro-bind / /"],
        environment={"A": "1"},
        tmp_bytes=1000,
    )
    return computer_arguments(plan, "bwrap", 3, 4, 5)


def binds(arguments: list[str]) -> dict[str, tuple[str, str]]:
    options = arguments[: arguments.index("--")]
    kinds = ("--bind", "--ro-bind", "--ro-bind-try")
    return {options[i + 2]: (word, options[i + 1]) for i, word in enumerate(options) if word in kinds}


def test_every_namespace_is_its_own(arguments: list[str]) -> None:
    kinds = {"--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"}
    assert kinds | {"--new-session", "--die-with-parent", "--as-pid-1", "--clearenv"} <= set(arguments)
    assert "--share-net" not in arguments


def test_only_its_own_folders_are_writable(arguments: list[str]) -> None:
    writable = {target for target, (kind, _) in binds(arguments).items() if kind == "--bind"}
    assert writable == {"/home/berth", "/workspace"}
    assert arguments[arguments.index("/", arguments.index("/dev/shm")) - 1] == "--remount-ro"


def test_nothing_of_the_host_but_its_system_is_there(arguments: list[str]) -> None:
    sources = {source for _, source in binds(arguments).values()}
    assert sources <= {
        "/usr",
        "/state/etc",
        "/state/c/1/cloudflare",
        "/state/c/1/fs/home",
        "/state/c/1/fs/workspace",
        "/build/computer",
        "/var/cache/fontconfig",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
    }


def test_what_the_command_says_stays_behind_the_options(arguments: list[str]) -> None:
    assert arguments[arguments.index("--") :] == ["--", "/usr/bin/python3", "-c", "--ro-bind / /"]


def test_without_a_filter_none_is_named() -> None:
    plan = Plan(SYSTEM, [], "/c", ["/bin/true"], {}, 1)
    assert "--seccomp" not in computer_arguments(plan, "bwrap", 3, 4, None)


def test_a_tool_sees_its_folders_and_is_root_over_nothing_else() -> None:
    folders = [Folder("/state/a/deep", "/src/deep"), Folder("/state/a", "/src", read_only=True)]
    arguments = tool_arguments(SYSTEM, "bwrap", folders, ["cp", "-a"])
    found = binds(arguments)
    assert found["/src"] == ("--ro-bind", "/state/a")
    assert arguments.index("/src") < arguments.index("/src/deep")
    added = [arguments[i + 1] for i, word in enumerate(arguments) if word == "--cap-add"]
    assert set(added) == {"CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID"}
    assert {"--unshare-user", "--unshare-net"} <= set(arguments)


def test_an_image_gives_the_whole_system(tmp_path: Path) -> None:
    for name in ("usr/local", "var/tmp", "opt/berth"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "bin").symlink_to("usr/bin")
    found = System(tmp_path, Path("/state/etc"), None, is_image=True).arguments()
    assert found[:3] == ["--ro-bind", f"{tmp_path}/usr", "/usr"]
    assert "/usr/local" not in found
    assert found[3:6] == ["--symlink", "usr/bin", "/bin"]
    assert ["--ro-bind", f"{tmp_path}/opt/berth", "/opt/berth"] == found[-3:]
