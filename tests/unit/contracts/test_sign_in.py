"""What is asked of names and of the way back: at the limit and one past it."""

import pytest
from pydantic import ValidationError

from contracts.limits import PASSKEY_NAME_CHARACTERS_MAX, PERSON_NAME_CHARACTERS_MAX, RETURN_CHARACTERS_MAX
from contracts.sign_in import OidcStart, PasskeyChange, SignUpPasskey


@pytest.mark.parametrize(
    ("record", "limit"),
    [(SignUpPasskey, PERSON_NAME_CHARACTERS_MAX), (PasskeyChange, PASSKEY_NAME_CHARACTERS_MAX)],
)
def test_a_name_is_so_long_and_can_be_seen(
    record: type[SignUpPasskey] | type[PasskeyChange], limit: int
) -> None:
    assert record(name="艾" * limit).name == "艾" * limit
    for wrong in ("a" * (limit + 1), "", " ", "\u2800"):
        with pytest.raises(ValidationError):
            record(name=wrong)


def test_a_way_back_is_so_long_and_of_this_page() -> None:
    path = "/" + "a" * (RETURN_CHARACTERS_MAX - 1)
    assert OidcStart(return_to=path).return_to == path
    for wrong in (f"{path}a", "//a", "/\\a", "a", ""):
        with pytest.raises(ValidationError):
            OidcStart(return_to=wrong)


def test_a_code_is_not_shown_where_a_record_is() -> None:
    body = SignUpPasskey.model_validate({"name": "Ada", "code": "a secret"})
    assert "a secret" not in repr(body)
