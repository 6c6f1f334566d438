"""What an owner has chosen about notices, kept with their other settings."""

from collections.abc import Callable

from contracts.notices import NoticeSettings
from durable_objects.bot_owner.catalog import Catalog

SETTINGS, BASE = "notices", "notices_base"


class NoticeChoices:
    def __init__(self, catalog: Catalog, time_zone: Callable[[], str]) -> None:
        self._catalog = catalog
        self._time_zone = time_zone

    @property
    def time_zone(self) -> str:
        """The owner's, by its name in the IANA database."""
        return self._time_zone()

    @property
    def settings(self) -> NoticeSettings:
        return NoticeSettings.model_validate_json(self._catalog.setting(SETTINGS, "{}"))

    def keep(self, settings: NoticeSettings) -> None:
        self._catalog.set_setting(SETTINGS, settings.model_dump_json())

    @property
    def base(self) -> str:
        """Where the owner's page was when they last set up a place: links in notices begin with it."""
        return self._catalog.setting(BASE, "")

    def set_base(self, base: str) -> None:
        self._catalog.set_setting(BASE, base)
