"""Building outputs from sources, and leaving alone what has not changed."""

import zipfile
from pathlib import Path

import pytest

from local import bundle
from local.bundle import BundleError, Stamps, build, worker_homes, worker_sources


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project whose registries and packages need no network."""
    for name, text in {
        "workers/entry.py": "entry = 1\n",
        "workers/api/app.py": "app = 1\n",
        "contracts/errors.py": "errors = 1\n",
        "durable_objects/owner.py": "owner = 1\n",
        "egress/policy.py": "def policy_for(registries): assert registries is not None\n",
        "egress/registries.py": "REGISTRIES: tuple[Registry, ...] = ()\n",
        "container/computerd/__main__.py": "main = 1\n",
        "local/worker_host/inside/bridge.py": "bridge = 1\n",
        "local/worker_host/runtime/_cloudflare/__init__.py": "",
        "requirements/edge.txt": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def vendor(root: Path) -> None:
        (root / "python_modules").mkdir(exist_ok=True)
        (root / "python_modules/package.py").write_text("package = 1\n")

    monkeypatch.setattr(bundle, "_vendor", vendor)
    monkeypatch.setattr(bundle, "_registries", lambda _root: "REGISTRIES = ()\n")
    return tmp_path


def _names(archive: Path) -> list[str]:
    with zipfile.ZipFile(archive) as opened:
        assert all(entry.compress_type == zipfile.ZIP_STORED for entry in opened.infolist())
        return sorted(opened.namelist())


def test_worker_holds_the_modules_side_by_side(project: Path) -> None:
    built = build(project)
    expected = [
        "api/app.py",
        "contracts/errors.py",
        "durable_objects/owner.py",
        "egress/policy.py",
        "egress/registries.py",
        "entry.py",
    ]
    assert _names(built.worker_archive) == expected
    assert sorted(str(path.relative_to(built.worker)) for path in built.worker.rglob("*.py")) == expected


def test_registries_are_filled_in_in_the_bundle_and_not_in_the_source(project: Path) -> None:
    built = build(project)
    assert (built.worker / "egress/registries.py").read_text() == "REGISTRIES = ()\n"
    assert (project / "egress/registries.py").read_text().startswith("REGISTRIES: tuple")


@pytest.mark.parametrize(
    "policy", ["def policy_for(registries): raise ValueError('api.venue is not denied')\n", "no Python\n"]
)
def test_a_broken_policy_is_refused_and_the_last_good_build_stays(project: Path, policy: str) -> None:
    good = build(project).worker_archive.read_bytes()
    (project / "egress/policy.py").write_text(policy)
    for _ in range(2):
        with pytest.raises(BundleError, match="the egress policy is refused"):
            build(project)
    assert (project / "build/worker.zip").read_bytes() == good
    assert (project / "build/worker/egress/policy.py").read_text() != policy


def test_a_bundle_without_a_policy_is_refused(project: Path) -> None:
    (project / "egress/policy.py").unlink()
    with pytest.raises(BundleError, match="is missing"):
        build(project)


def test_computer_holds_the_service(project: Path) -> None:
    assert (build(project).computer / "computerd/__main__.py").read_text() == "main = 1\n"


def test_second_build_changes_nothing(project: Path) -> None:
    assert build(project).changed == {"python_modules", "packages", "worker", "host", "computer"}
    assert build(project).changed == frozenset()


def test_changed_source_is_built_and_the_rest_is_left_alone(project: Path) -> None:
    before = build(project)
    untouched = (before.worker / "entry.py").stat().st_mtime_ns
    (project / "contracts/errors.py").write_text("errors = 2\n")
    after = build(project)
    assert after.changed == {"worker"}
    assert (after.worker / "contracts/errors.py").read_text() == "errors = 2\n"
    assert (after.worker / "entry.py").stat().st_mtime_ns == untouched


def test_removed_source_leaves_the_bundle(project: Path) -> None:
    build(project)
    (project / "workers/api/app.py").unlink()
    assert "api/app.py" not in _names(build(project).worker_archive)


def test_missing_output_is_built_again(project: Path) -> None:
    build(project).worker_archive.unlink()
    assert build(project).changed == {"worker"}


def test_same_sources_make_the_same_bytes(project: Path) -> None:
    first = build(project).worker_archive
    content = first.read_bytes()
    first.unlink()
    assert build(project).worker_archive.read_bytes() == content


@pytest.mark.parametrize("name", ["workers.py", "workers/rpc.py", "asgi.py"])
def test_names_of_the_sdk_are_refused(project: Path, name: str) -> None:
    (project / "workers" / name).parent.mkdir(exist_ok=True)
    (project / "workers" / name).write_text("")
    with pytest.raises(BundleError, match="belongs to the Workers SDK"):
        worker_sources(project)


def test_every_module_of_the_bundle_has_a_home(project: Path) -> None:
    assert worker_homes(project)["api/app.py"] == "workers/api/app.py"
    assert worker_homes(project)["contracts/errors.py"] == "contracts/errors.py"


def test_build_that_failed_is_tried_again(tmp_path: Path) -> None:
    stamps = Stamps(tmp_path / "stamps.json")
    assert stamps.renew("worker", "1")
    # No `save`: the build was cut short.
    assert Stamps(tmp_path / "stamps.json").renew("worker", "1")
