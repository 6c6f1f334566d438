"""What the launcher says when it cannot go on.

LauncherError          one sentence for the person, and exit code 1
└── MissingError       something is not installed, with the command that brings it
"""


class LauncherError(Exception):
    """The message is one sentence: what is wrong and what to do."""


class MissingError(LauncherError):
    """A requirement is not there and could not be brought."""

    def __init__(self, what: str, cure: str) -> None:
        super().__init__(f"{what} is missing: {cure}")
        self.cure = cure
