"""Names of any bytes are told as text and meant again."""

import os

from hypothesis import example, given
from hypothesis import strategies as st

from computerd import names


@given(st.binary())
@example(b"\xef\xbf\xbdEF")
@example(b"\xef\xbf\xbd\xff")
@example("é".encode()[:1] + b"\xef\xbf\xbd")
def test_any_name_is_told_as_text_and_meant_again(raw: bytes) -> None:
    told = names.told(os.fsdecode(raw))
    assert told.encode().decode() == told
    assert os.fsencode(names.meant(told)) == raw


def test_a_path_hides_nothing_in_what_is_told() -> None:
    for path in ("a\ufffd2Fb", "\ufffd2E\ufffd2E", "\ufffd00", "\ufffdef", "\ufffd", "\udcff"):
        assert names.meant(path) == path
