"""Who may import what: rules are plain Python, and only shells know the platform."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLATFORM = {"js", "pyodide", "workers", "asgi"}
# The shells, and what is only their border: everything else runs on CPython.
SHELLS = {
    "durable_objects/shared/js.py",
    "durable_objects/bot_owner/shell.py",
    "durable_objects/bot_owner/client.py",
    "durable_objects/bot_owner/archive/store.py",
    "durable_objects/bot_owner/estate.py",
    "durable_objects/bot_owner/outlets.py",
    "durable_objects/bot_owner/multipart.py",
    "durable_objects/bot_owner/notices/fetching.py",
    "durable_objects/bot_owner/transport.py",
    "durable_objects/bot_owner/venue/noble.py",
    "durable_objects/bot_owner/venue/wire.py",
    "durable_objects/bot_owner/web_crypto.py",
    "durable_objects/bot_owner/web_get.py",
    "durable_objects/bot_computer/shell.py",
    "durable_objects/bot_computer/cloudflare.py",
    "durable_objects/bot_computer/files.py",
    "durable_objects/bot_computer/transfers.py",
    "durable_objects/person/shell.py",
    "durable_objects/platform/shell.py",
    "egress/shell.py",
    "egress/streams.py",
    "egress/transfer.py",
    "telemetry/shell.py",
    "workers/entry.py",
    "workers/api/attempts.py",
    "workers/api/bodies.py",
    "workers/api/door.py",
    "workers/api/contents.py",
    "workers/api/downloads.py",
    "workers/api/files.py",
    "workers/api/frames.py",
    "workers/api/joining.py",
    "workers/api/no_asset.py",
    "workers/api/owner.py",
    "workers/api/people.py",
    "workers/api/health.py",
    "workers/api/observed.py",
    "workers/api/person.py",
    "workers/api/platform.py",
    "workers/api/streams.py",
    "workers/api/sign_in/desk.py",
    "workers/api/sign_in/modules.py",
    "workers/api/uploads.py",
}
MAY_IMPORT = {
    "contracts": {"contracts"},
    "durable_objects": {"contracts", "durable_objects", "telemetry"},
    "egress": {"contracts", "egress", "telemetry"},
    "telemetry": {"telemetry"},
    "workers": {"contracts", "durable_objects", "egress", "api", "telemetry"},
    "container": {"computerd"},
    "local": {"local"},
}
OURS = {"contracts", "durable_objects", "egress", "api", "computerd", "local", "telemetry", "tests"}
SOURCES = sorted(path for folder in MAY_IMPORT for path in (ROOT / folder).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """The first parts of all absolute imports of a module."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_what_its_folder_may(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    folder = name.split("/", maxsplit=1)[0]
    allowed = MAY_IMPORT[folder]
    assert imported(path) & OURS <= allowed
    if folder != "local" and name not in SHELLS:
        assert not imported(path) & PLATFORM


def test_the_list_of_shells_names_no_file_that_is_gone() -> None:
    assert [name for name in sorted(SHELLS) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("folder", ["contracts", "durable_objects", "egress", "workers"])
def test_what_goes_to_the_worker_knows_nothing_of_where_it_runs(folder: str) -> None:
    for path in (ROOT / folder).rglob("*.py"):
        assert "local." not in " ".join(sorted(imported(path))), path
        assert not imported(path) & {"subprocess", "socket", "threading"}, path
