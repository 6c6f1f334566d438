"""Secrets say whose they are, and nothing else has their form."""

import os

import pytest

from durable_objects.shared.ids import PERSON_ID, new_person_id
from durable_objects.shared.secret import new_secret, presented

WHO = "person_" + "Z" * 26


@pytest.mark.parametrize("person_id", [WHO, "local", "local-a", "local-a-b-1", "local-" + "a" * 31])
@pytest.mark.parametrize("kind", ["s", "t"])
def test_whoever_a_secret_is_made_for_is_found_in_it(person_id: str, kind: str) -> None:
    for _ in range(50):
        found = presented(new_secret("s" if kind == "s" else "t", person_id, os.urandom))
        assert found is not None
        assert (found.kind, found.person_id) == (kind, person_id)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "berth_s",
        f"berth_s_{WHO}_{'a' * 42}",
        f"berth_s_{WHO}_{'a' * 44}",
        f"berth_s_{WHO}_{'a' * 42}\n",
        f"berth_s_{WHO}_{'a' * 42}é",
        f"berth_x_{WHO}_{'a' * 43}",
        f"berth_s_{WHO[:-1]}_{'a' * 43}",
        f"berth_s_{WHO.lower()}_{'a' * 43}",
        f"berth_s_local-_{'a' * 43}",
        f"berth_s_local-{'a' * 32}_{'a' * 43}",
        f"berth_s_owner_{'Z' * 26}_{'a' * 43}",
        f"berth_l_{'a' * 43}",
        f" berth_s_{WHO}_{'a' * 43}",
    ],
)
def test_nothing_else_is_a_secret(text: str) -> None:
    assert presented(text) is None


def test_ids_of_persons_are_not_guessed() -> None:
    made = {new_person_id(os.urandom) for _ in range(1000)}
    assert len(made) == 1000
    assert all(PERSON_ID.fullmatch(one) for one in made)
