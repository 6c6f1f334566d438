"""Every answer of the API says how little a browser may do with it."""

import pytest

from api.headers import POLICY, security_headers


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_answer_that_says_nothing_is_data_and_in_nobodys_frame(scheme: str) -> None:
    found = security_headers(scheme, has_policy=False)
    assert "default-src 'none'" in found[POLICY]
    assert "frame-ancestors 'none'" in found[POLICY]
    assert found["x-frame-options"] == "DENY"


def test_one_that_has_a_policy_of_its_own_keeps_it() -> None:
    found = security_headers("https", has_policy=True)
    assert POLICY not in found
    assert "x-frame-options" not in found
    assert found["x-content-type-options"] == "nosniff"


def test_https_is_asked_for_where_it_is() -> None:
    assert "strict-transport-security" in security_headers("https", has_policy=True)
    assert "strict-transport-security" not in security_headers("http", has_policy=True)
