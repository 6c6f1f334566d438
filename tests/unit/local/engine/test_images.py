"""Which snapshots are kept, and how images are named."""

from local.engine.images import KEPT_PER_COMPUTER, KEPT_SECONDS, Image, identify, surplus


def image(name: str, made_at: float, computer: str = "one", used_at: float | None = None) -> Image:
    return Image(name, name, "base", 1, computer, made_at, made_at if used_at is None else used_at)


def test_the_newest_of_each_computer_are_kept() -> None:
    mine = [image(f"m{number}", number) for number in range(KEPT_PER_COMPUTER + 2)]
    others = [image(f"o{number}", number, "other") for number in range(2)]
    assert {found.name for found in surplus([*mine, *others], now=10)} == {"m0", "m1"}


def test_what_nobody_has_started_from_for_thirty_days_goes() -> None:
    old = image("old", 0)
    restored = image("restored", 0, used_at=KEPT_SECONDS)
    assert surplus([old, restored], now=KEPT_SECONDS + 1) == [old]
    assert surplus([old], now=KEPT_SECONDS) == []


def test_each_is_named_once_even_if_it_is_old_and_one_too_many() -> None:
    found = surplus([image(f"m{number}", number) for number in range(9)], now=KEPT_SECONDS * 2)
    assert sorted(entry.name for entry in found) == [f"m{number}" for number in range(9)]


def test_an_image_is_another_one_when_its_system_is() -> None:
    assert identify("berth:dev", "1") != identify("berth:dev", "2")
    assert identify("berth:dev", "1") == identify("berth:dev", "1")
    assert identify("a", "").startswith("sha256:")
