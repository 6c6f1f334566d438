"""Which bytes are served for which request headers."""

import pytest

from api.ranges import Part, Wanted, wanted

TAG = '"tag"'


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, "whole"),
        ({"range": "bytes=0-99"}, Part(0, 100)),
        ({"range": "bytes=0-0"}, Part(0, 1)),
        ({"range": "bytes=50-"}, Part(50, 100)),
        ({"range": "Bytes=50-"}, Part(50, 100)),
        ({"range": "bytes=\u0665-"}, "whole"),
        ({"if-none-match": "*"}, "known"),
        ({"range": "bytes=50-500"}, Part(50, 100)),
        ({"range": "bytes=-10"}, Part(90, 100)),
        ({"range": "bytes=-500"}, Part(0, 100)),
        ({"range": "bytes=99-"}, Part(99, 100)),
        ({"range": "bytes=100-"}, "beyond"),
        ({"range": "bytes=-0"}, "beyond"),
        ({"range": "bytes=-"}, "whole"),
        ({"range": "bytes=5-2"}, "whole"),
        ({"range": "bytes=0-1,5-6"}, "whole"),
        ({"range": "lines=0-1"}, "whole"),
        ({"range": "bytes=a-b"}, "whole"),
        ({"range": "bytes=" + "9" * 40 + "-"}, "whole"),
        ({"range": "bytes=0-9", "if-range": TAG}, Part(0, 10)),
        ({"range": "bytes=0-9", "if-range": '"other"'}, "whole"),
        ({"if-none-match": TAG}, "known"),
        ({"if-none-match": 'W/"tag"'}, "known"),
        ({"if-none-match": '"a", "tag"', "range": "bytes=0-1"}, "known"),
        ({"if-none-match": '"other"'}, "whole"),
    ],
)
def test_a_request_wants(headers: dict[str, str], expected: Wanted) -> None:
    assert wanted(headers, 100, TAG) == expected


def test_an_empty_file_has_no_range() -> None:
    assert wanted({"range": "bytes=0-"}, 0, TAG) == "beyond"


def test_a_part_says_where_it_lies() -> None:
    assert Part(10, 20).content_range(100) == "bytes 10-19/100"
