"""Showing threads to whoever watches: replay, live frames, and clients that cannot keep up.

Each watcher has a cursor, the newest seq it was sent. Persisted events go out strictly in order of
seq from the record, so a gap cannot arise; live frames are hints and are left out for a watcher
that is behind. A watcher acknowledges what it received: over the first mark it gets no live frames
and no replay until it does, and one that stays silent over a mark is dropped and resumes with
`after`.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from contracts.events import CaughtUp, CaughtUpData, Hello, HelloData
from contracts.limits import SOCKET_BYTES_MAX, SOCKET_LIVE_BYTES_MAX
from contracts.records import Record
from durable_objects.bot_owner.record import ThreadRecord, event_text

REPLAY_PAGE = 100
SLOW_CLIENT = 4008
THREAD_GONE = 4404
SIGNED_OUT = 4401
NO_MEMBER = 4403


class Outlet(Protocol):
    """One connection: a WebSocket or a server-sent event stream."""

    def send(self, text: str) -> None: ...

    def keep(self, cursor: int) -> None:
        """Remember the cursor where it outlives this object's memory."""

    def close(self, code: int, reason: str) -> None: ...


class Holder(NamedTuple):
    """Whose stream it is, and what it was opened with."""

    person_id: str = ""
    credential_id: str = ""
    until_ms: int | None = None
    """When what it was opened with ends by itself: it shows nothing from then on."""


NOBODY = Holder()


@dataclass
class Watcher:
    thread_id: str
    outlet: Outlet
    cursor: int
    caught_up: bool = False
    holder: Holder = NOBODY
    sent: int = 0
    acknowledged: int = 0

    @property
    def behind(self) -> int:
        """Characters on their way to the client."""
        return self.sent - self.acknowledged

    def send(self, text: str) -> None:
        self.sent += len(text)
        self.outlet.send(text)


class Audience:
    """All watchers of one owner's threads."""

    def __init__(
        self,
        record: Callable[[], ThreadRecord],
        unfinished: Callable[[str], list[Record]],
        all_left: Callable[[], None] = lambda: None,
        *,
        now_ms: Callable[[], int],
    ) -> None:
        self._record = record
        self._unfinished = unfinished
        self._all_left = all_left
        self._now_ms = now_ms
        self._watchers: dict[str, dict[str, Watcher]] = {}

    def join(self, key: str, watcher: Watcher, hello: HelloData) -> None:
        """A new watcher: greet it and replay what it does not have."""
        self.restore(key, watcher)
        watcher.send(Hello(data=hello).model_dump_json())
        self._advance(watcher)

    def restore(self, key: str, watcher: Watcher) -> None:
        """A watcher that this object had before it lost its memory."""
        self._watchers.setdefault(watcher.thread_id, {})[key] = watcher

    def leave(self, thread_id: str, key: str) -> None:
        here = self._watchers.get(thread_id, {})
        here.pop(key, None)
        if not here and self._watchers.pop(thread_id, None) is not None and not self._watchers:
            self._all_left()

    def anybody(self) -> bool:
        """Whether any thread is watched: a page is open."""
        return bool(self._watchers)

    def watched(self, thread_id: str) -> bool:
        return thread_id in self._watchers

    def threads(self) -> list[str]:
        return list(self._watchers)

    def acknowledge(self, thread_id: str, key: str, characters: int) -> None:
        """The client has received this many characters in all; never more than were sent."""
        watcher = self._watchers.get(thread_id, {}).get(key)
        if watcher is None:
            return
        watcher.acknowledged = max(watcher.acknowledged, min(characters, watcher.sent))
        if not self._ended(key, watcher):
            self._advance(watcher)

    def publish(self, thread_id: str, seq: int, text: str) -> None:
        """A persisted event was committed."""
        for key, watcher in list(self._watchers.get(thread_id, {}).items()):
            if self._ended(key, watcher):
                continue
            if watcher.behind >= SOCKET_BYTES_MAX:
                self.leave(thread_id, key)
                watcher.outlet.close(SLOW_CLIENT, "too slow; resume with after=SEQ")
            elif watcher.caught_up and watcher.cursor == seq - 1:
                watcher.send(text)
                watcher.cursor = seq
                watcher.outlet.keep(seq)
            else:
                self._advance(watcher)

    def live(self, thread_id: str, frame: Record) -> None:
        """A hint for those who keep up."""
        here = self._watchers.get(thread_id)
        if not here:
            return
        text = frame.model_dump_json()
        for key, watcher in list(here.items()):
            if self._ended(key, watcher):
                continue
            if watcher.caught_up and watcher.behind < SOCKET_LIVE_BYTES_MAX:
                watcher.send(text)

    def close_thread(self, thread_id: str) -> None:
        gone = self._watchers.pop(thread_id, {})
        for watcher in gone.values():
            watcher.outlet.close(THREAD_GONE, "this thread was deleted")
        if gone and not self._watchers:
            self._all_left()

    def sign_out(self, person_id: str, credential_ids: Collection[str] | None = None) -> None:
        """Close the streams that were opened with these; all of the person where none are named."""
        self._close(person_id, credential_ids, SIGNED_OUT, "this session has ended")

    def close_person(self, person_id: str) -> None:
        """Who does not belong here any more watches nothing any more."""
        self._close(person_id, None, NO_MEMBER, "you do not belong to this owner any more")

    def _ended(self, key: str, watcher: Watcher) -> bool:
        """Whether what it was opened with has ended by itself; then it is closed."""
        until_ms = watcher.holder.until_ms
        if until_ms is None or self._now_ms() < until_ms:
            return False
        self.leave(watcher.thread_id, key)
        watcher.outlet.close(SIGNED_OUT, "what this was opened with has ended")
        return True

    def _close(self, person_id: str, credential_ids: Collection[str] | None, code: int, reason: str) -> None:
        ended = [
            (key, watcher)
            for here in self._watchers.values()
            for key, watcher in here.items()
            if watcher.holder.person_id == person_id
            and (credential_ids is None or watcher.holder.credential_id in credential_ids)
        ]
        for key, watcher in ended:
            self.leave(watcher.thread_id, key)
            watcher.outlet.close(code, reason)

    def close_all(self) -> None:
        for thread_id in self.threads():
            self.close_thread(thread_id)

    def _advance(self, watcher: Watcher) -> None:
        """Send what the watcher lacks, as far as its acknowledgements allow."""
        record = self._record()
        while watcher.behind < SOCKET_LIVE_BYTES_MAX:
            page = record.page(watcher.thread_id, watcher.cursor, REPLAY_PAGE)
            for row in page:
                watcher.send(event_text(row))
                watcher.cursor = row["seq"]
            if page:
                watcher.outlet.keep(watcher.cursor)
                continue
            if not watcher.caught_up:
                watcher.caught_up = True
                watcher.send(CaughtUp(data=CaughtUpData(seq=watcher.cursor)).model_dump_json())
                for frame in self._unfinished(watcher.thread_id):
                    watcher.send(frame.model_dump_json())
            return
