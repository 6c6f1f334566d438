"""What can go wrong in the engine, in one tree.

    EngineError                 500
    ├── MalformedRequestError        400   the request cannot be understood, or in two ways
    │   ├── MismatchError            400   its parts name different places
    │   └── NamelessError            400   it does not name the place it is for
    ├── NoSuchObjectError            404   container, image, volume, exec or path is not there
    ├── AlreadyDoneError             304   start of a started, stop of a stopped container
    ├── WrongStateError              409   the object is there, but not in a state for this
    ├── TooLargeError                413   a body or header beyond its limit
    ├── NotOfferedError              501   Docker has it, this engine does not
    ├── StartFailedError             500   the sandbox came up and fell over, or did not come up
    ├── TreeFailedError              500   a copy or an archive did not finish
    └── MachineRefusesError          500   this machine lacks what the engine needs; ends the program

Each class carries the status that Docker's API gives for it.
"""

from typing import ClassVar


class EngineError(Exception):
    status: ClassVar[int] = 500


class MalformedRequestError(EngineError):
    status = 400
    rule: ClassVar[str] = "unreadable"
    """How the egress Worker calls it on a receipt."""

    def __init__(self, message: str, host: str = "") -> None:
        super().__init__(message)
        self.host = host
        """Where the request was to go, if that is known."""


class MismatchError(MalformedRequestError):
    rule = "mismatch"


class NamelessError(MalformedRequestError):
    rule = "nameless"


class NoSuchObjectError(EngineError):
    status = 404


class AlreadyDoneError(EngineError):
    status = 304


class WrongStateError(EngineError):
    status = 409


class TooLargeError(EngineError):
    status = 413


class NotOfferedError(EngineError):
    status = 501


class StartFailedError(EngineError):
    pass


class TreeFailedError(EngineError):
    pass


class MachineRefusesError(EngineError):
    pass
