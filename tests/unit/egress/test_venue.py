"""What may be asked of the venue: one JSON object whose type only reads, written anew."""

import gzip
import json

import pytest

from egress.tables import VENUE_READS
from egress.venue import BRACKETS_MAX, QueryError, read_query


@pytest.mark.parametrize("kind", sorted(VENUE_READS))
def test_every_read_passes(kind: str) -> None:
    assert json.loads(read_query(json.dumps({"type": kind, "user": "0x0"}).encode())) == {
        "type": kind,
        "user": "0x0",
    }


def test_what_is_sent_is_written_anew() -> None:
    body = b' { "coin":"\\u00e9", "type" : "l2Book" , "nSigFigs":null}\n'
    assert read_query(body) == b'{"coin":"\\u00e9","type":"l2Book","nSigFigs":null}'


def test_a_query_nests_as_deep_as_the_limit_and_no_deeper() -> None:
    for depth in (BRACKETS_MAX - 1, BRACKETS_MAX):
        body = b'{"type":"meta","x":' + b"[" * depth + b"]" * depth + b"}"
        if depth < BRACKETS_MAX:
            assert read_query(body) == body
        else:
            with pytest.raises(QueryError):
                read_query(body)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'[{"type":"meta"}]',
        b'"meta"',
        b"{}",
        b'{"type":null}',
        b'{"type":["meta"]}',
        b'{"type":"order"}',
        b'{"type":"META"}',
        b'{"type":"meta "}',
        b'{"Type":"meta"}',
        b'{"action":{"type":"order"},"nonce":1,"signature":{}}',
        b'{"type":"meta","type":"order"}',
        b'{"type":"meta","Type":"order"}',
        gzip.compress(b'{"type":"meta"}'),
        b'{"type":"order","type":"meta"}',
        b'{"type":"meta","\\u0074ype":"order"}',
        b'{"type":"meta","x":{"a":1,"a":2}}',
        b'{"type":"meta"}{"type":"order"}',
        b'{"type":"meta","x":NaN}',
        b'{"type":"meta","x":1.5}',
        b'\xef\xbb\xbf{"type":"meta"}',
        b'{"type":"meta","x":"\xff"}',
        b'{\x00"type":"meta"}',
        b"{'type':'meta'}",
        '{"type":"meta"}'.encode("utf-16"),
        b"[" * 100_000,
    ],
)
def test_everything_else_is_refused(body: bytes) -> None:
    with pytest.raises(QueryError):
        read_query(body)
