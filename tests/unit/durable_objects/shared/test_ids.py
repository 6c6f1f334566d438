"""Ids sort by age and hold the randomness they are given."""

import os

from durable_objects.shared.ids import CROCKFORD, new_id


def test_ids_of_a_kind_sort_by_time() -> None:
    ids = [new_id("run", now_ms, os.urandom) for now_ms in (1, 999, 1_796_000_000_000, 1_796_000_000_001)]
    assert ids == sorted(ids)


def test_an_id_has_its_kind_and_26_characters_of_its_alphabet() -> None:
    kind, _, rest = new_id("thr", 1_796_000_000_000, os.urandom).partition("_")
    assert kind == "thr"
    assert len(rest) == 26
    assert set(rest) <= set(CROCKFORD)


def test_all_80_random_bits_are_in_the_id() -> None:
    low = new_id("x", 0, bytes)
    high = new_id("x", 0, lambda n: b"\xff" * n)
    assert low.endswith("0" * 16)
    assert high.endswith("Z" * 16)
