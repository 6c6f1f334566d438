"""The platform's container, as the core sees it."""

from typing import Protocol


class ContainerError(Exception):
    """The platform could not do something with the container. `str()` is for the log."""


class Container(Protocol):
    """`ctx.container`; every method raises ContainerError."""

    @property
    def running(self) -> bool: ...

    @property
    def image(self) -> str | None:
        """What tells this version of the image from another; None where the platform does not say."""
        ...

    async def start(self, snapshot: str | None) -> None: ...

    async def attach(self) -> None:
        """Take over a container that ran before this object lost its memory."""
        ...

    async def keep(self, ms: int) -> None:
        """Ask the platform to leave the container running for this long, whoever talks to it or not."""
        ...

    async def snapshot(self) -> str: ...

    async def destroy(self) -> None: ...

    async def gone(self) -> None:
        """Return when the container has stopped, for whatever reason."""
        ...
