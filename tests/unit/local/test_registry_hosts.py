"""Which registries the bundle allows, from what pip and npm say about themselves."""

from pathlib import Path

import pytest

from local import registry_hosts
from local.bundle import ROOT
from local.registry_hosts import (
    Registry,
    RegistryError,
    apt_registries,
    module_source,
    npm_registries,
    pip_registries,
)

DEFAULT = '["https://index.test/simple", "files.test"]'


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the tools say, by the last word of the command that asks them."""
    said = {"list": "", "-c": DEFAULT}

    def output(command: list[str]) -> str:
        return said["-c" if "-c" in command else command[-1]]

    monkeypatch.setattr(registry_hosts, "_output", output)
    return said


def test_without_settings_pip_names_its_default_index_and_its_file_host(answers: dict[str, str]) -> None:
    assert pip_registries(Path("python")) == (
        Registry("index.test", 443, ("/simple/",), "pip-index"),
        Registry("files.test", 443, ("/",), "pip-files"),
    )


def test_mirror_in_the_settings_takes_the_place_of_the_default(answers: dict[str, str]) -> None:
    answers["list"] = "global.index-url='http://mirror.test:8081/root/'\n"
    assert pip_registries(Path("python")) == (
        Registry("mirror.test", 8081, ("/root/",), "pip-index"),
        Registry("mirror.test", 8081, ("/",), "pip-files"),
    )


def test_environment_wins_over_the_settings_of_a_file(answers: dict[str, str]) -> None:
    answers["list"] = ":env:.index-url='https://env.test/a'\nglobal.index-url='https://file.test/b'\n"
    assert [registry.host for registry in pip_registries(Path("python"))] == ["env.test", "env.test"]


def test_index_on_disk_is_left_out(answers: dict[str, str]) -> None:
    answers["list"] = "global.extra-index-url='file:///srv/simple https://more.test/simple'\n"
    hosts = [registry.host for registry in pip_registries(Path("python"))]
    assert hosts == ["index.test", "files.test", "more.test", "more.test"]


def test_npm_names_its_registry(answers: dict[str, str]) -> None:
    answers["registry"] = "https://npm.test/mirror/\n"
    assert npm_registries("npm") == (Registry("npm.test", 443, ("/mirror/",), "npm"),)


def test_apt_names_its_archives_once(answers: dict[str, str]) -> None:
    answers["$(REPO_URI)"] = "http://apt.test/debian/\nhttp://apt.test/debian/\nfile:/srv/apt/\n"
    assert apt_registries("true") == (Registry("apt.test", 80, ("/debian/",), "apt"),)


def test_where_apt_is_not_there_it_names_none(answers: dict[str, str]) -> None:
    assert apt_registries("no-apt-get-of-this-name") == ()


def test_module_of_the_bundle_runs_and_holds_the_registries() -> None:
    found = (Registry("index.test", 443, ("/simple/",), "pip-index"),)
    source = module_source((ROOT / "egress/registries.py").read_text(), found)
    names: dict[str, object] = {"__name__": "registries"}
    exec(compile(source, "registries.py", "exec"), names)  # noqa: S102 - what was written is what is tested
    assert repr(names["REGISTRIES"]) == repr(found)


def test_source_without_the_place_for_registries_is_refused() -> None:
    with pytest.raises(RegistryError, match="does not end with"):
        module_source("REGISTRIES = ()\n", ())
