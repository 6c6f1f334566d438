"""Which version a rollback goes to, and over what it does not go."""

import pytest

from local.deploy.account import Version
from local.deploy.rollback import target_of
from local.launcher.errors import LauncherError


def version(number: int, migration: str = "v2") -> Version:
    return Version(f"{number}{number}aa-1", number, "2026-11-30T10:00:00Z", f"commit {number}", migration)


NEWEST_FIRST = (version(4), version(3), version(2), version(1, "v1"))


def test_the_one_before_the_running_one() -> None:
    assert target_of(NEWEST_FIRST, version(4).id).number == 3


def test_after_a_rollback_the_one_before_that() -> None:
    """Not the newest one again, which is what one went back from."""
    assert target_of(NEWEST_FIRST, version(3).id).number == 2


def test_the_one_that_is_named() -> None:
    assert target_of(NEWEST_FIRST, version(4).id, "22aa").number == 2
    assert target_of(NEWEST_FIRST, version(2).id, "44").number == 4


@pytest.mark.parametrize(
    ("running", "wanted", "sentence"),
    [
        (version(4).id, "99", "no version begins with 99"),
        (version(4).id, "44", "this is the version that runs"),
        (version(1, "v1").id, "", "there is no version before"),
        ("gone", "", "none of the newest"),
        (version(2).id, "", "from before the migration v2"),
        (version(4).id, "11", "from before the migration v2"),
    ],
)
def test_one_sentence_for_what_cannot_be(running: str, wanted: str, sentence: str) -> None:
    with pytest.raises(LauncherError, match=sentence):
        target_of(NEWEST_FIRST, running, wanted)


def test_a_beginning_that_fits_two() -> None:
    with pytest.raises(LauncherError, match="more than one version"):
        target_of((version(1), version(11)), version(1).id, "1")
