"""Secrets that are made: in the form that the Worker reads, and another one each time."""

import pytest

from contracts.limits import SETUP_CODE_CHARACTERS_MIN
from durable_objects.bot_owner.key_safe import read_ring
from durable_objects.bot_owner.notices.web_push import read_vapid
from local.deploy.secrets import MADE, given_secrets, missing_secrets, new_setup_code
from local.keys import new_sealing_key
from local.launcher.errors import LauncherError


def test_the_worker_can_read_what_is_made() -> None:
    made = {secret.name: secret.make() for secret in MADE}
    assert len(read_ring(made["BERTH_KEY_ENCRYPTION_KEYS"]).keys) == 1
    assert read_vapid(made["BERTH_VAPID_KEY"], "mailto:someone@example.com")


def test_a_setup_code_can_be_typed_and_not_guessed() -> None:
    codes = {new_setup_code() for _ in range(100)}
    assert len(codes) == 100
    assert all(len(code.replace("-", "")) * 5 == 120 for code in codes)


def test_only_what_is_missing_is_made() -> None:
    there = frozenset(secret.name for secret in MADE[1:])
    assert missing_secrets(there) == MADE[:1]


def test_what_is_given_is_what_the_worker_would_take() -> None:
    made = {secret.name: secret.make() for secret in MADE}
    two = f"new:{new_sealing_key()} {made['BERTH_KEY_ENCRYPTION_KEYS']}"
    assert len(read_ring(two).keys) == 2
    given = made | {
        "BERTH_KEY_ENCRYPTION_KEYS": two,
        "BERTH_OPENAI_KEY": "sk",
        "HOME": "/",
        "BERTH_OIDC_NAME": "",
    }
    given["BERTH_NEWER_KEY_ENCRYPTION_KEYS"] = f"second:{new_sealing_key()}"
    taken = (*made, "BERTH_OPENAI_KEY", "BERTH_NEWER_KEY_ENCRYPTION_KEYS")
    assert given_secrets(given) == {name: given[name] for name in taken}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BERTH_SETUP_CODE", "x" * (SETUP_CODE_CHARACTERS_MIN - 1)),
        ("BERTH_KEY_ENCRYPTION_KEYS", new_sealing_key()),
        ("BERTH_KEY_ENCRYPTION_KEYS", "first:short"),
        ("BERTH_KEY_ENCRYPTION_KEYS", f"a:{new_sealing_key()},b:{new_sealing_key()}"),
        ("BERTH_KEY_ENCRYPTION_KEYS", f"a:{new_sealing_key()}b:{new_sealing_key()}"),
        ("BERTH_KEY_ENCRYPTION_KEYS", f"a:{new_sealing_key()} a:{new_sealing_key()}"),
        ("BERTH_NEWER_KEY_ENCRYPTION_KEYS", f"first:{new_sealing_key()}"),
        ("BERTH_NEWER_KEY_ENCRYPTION_KEYS", "second:short"),
        ("BERTH_VAPID_KEY", "no.key"),
    ],
)
def test_what_the_worker_would_not_take_is_refused_and_not_repeated(name: str, value: str) -> None:
    with pytest.raises(LauncherError, match=name) as caught:
        given_secrets({name: value})
    assert value not in str(caught.value)


def test_the_shortest_setup_code_is_taken() -> None:
    code = {"BERTH_SETUP_CODE": "x" * SETUP_CODE_CHARACTERS_MIN}
    assert given_secrets(code) == code
