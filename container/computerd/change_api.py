"""What the routes that change files answer: a whole file put, and one exact replacement in a file.

Whoever comes between the look and the change makes the change begin anew on what is there then, so two edits
at once both arrive. What may take long, comparing and forcing a file to the disk, happens in a thread.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from . import api_input, edit, encoding, http_wire, limits, names
from .encoding import Encoding
from .errors import BinaryFile, FileChanged, InvalidRequest, NotFound, Refusal, refusal_of, shown
from .file_api import path_of
from .loop import Bell
from .replacement import Replacement, read_all, version_of
from .unified_diff import Diff, unified

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from .api_input import EditOrder
    from .connection import Connection
    from .http_wire import Head
    from .loop import Loop
    from .space import Claim, Space
    from .workspace import Workspace


class ChangeApi:
    """Handlers for PUT /files/content and POST /files/edit."""

    def __init__(
        self,
        loop: Loop,
        workspace: Workspace,
        space: Space,
        token: Callable[[], str],
        use: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._use = use
        self._workspace = workspace
        self._space = space
        self._token = token
        self._answers: dict[str, dict[str, object]] = {}
        """To the newest changes, by their ids: one that is asked for again is not made again."""
        self._under_way: dict[str, Bell] = {}
        """Rings when the change of that id has been made or has failed."""

    async def put(self, connection: Connection, head: Head, _parts: list[str]) -> None:
        """Write a whole file; `If-Match` refuses to overwrite what has changed."""
        path, query = path_of(head), http_wire.parse_query(head.query)
        self._use()
        identifier = query.get("id", "")
        version = head.headers.get("if-match", b"").decode("latin-1") or None
        try:
            async with self._replacement(path) as (replacement, claim):
                async for part in connection.body_parts(limits.FILE_BYTES):
                    await claim.grow(replacement.size + len(part))
                    replacement.write(part)
                await self._loop.in_thread(replacement.sync)

                async def change() -> dict[str, object]:
                    answer: dict[str, object] = {}
                    if query.get("diff") == "1":
                        used, answer = await self._compared(replacement, path, version)
                    else:
                        used = replacement.commit(path, query.get("exclusive") == "1", version)
                    return answer | {"path": names.told(used), "size": replacement.size}

                answer = await self._once(identifier, change)
        except OSError as error:
            raise refusal_of(error, path) from error
        await connection.answer(200, answer)

    async def edit(self, connection: Connection, _head: Head, _parts: list[str]) -> None:
        """Replace a text that is in a file exactly once."""
        order = api_input.parse_edit(await connection.body(limits.EDIT_BODY_BYTES))
        self._use()
        await connection.answer(200, await self._once(order.id, lambda: self._edited(order)))

    async def _once(
        self, identifier: str, change: Callable[[], Awaitable[dict[str, object]]]
    ) -> dict[str, object]:
        """Make a change, or give the answer that one with the same id had, which may still be under way."""
        if not identifier:
            return await change()
        while (earlier := self._under_way.get(identifier)) is not None:
            await earlier.heard()
        if (known := self._answers.get(identifier)) is not None:
            return known
        bell = self._under_way[identifier] = Bell(self._loop)
        try:
            answer = self._answers[identifier] = await change()
        finally:
            del self._under_way[identifier]
            bell.ring()
        if len(self._answers) > limits.CHANGES_KNOWN:
            del self._answers[next(iter(self._answers))]
        return answer

    async def _edited(self, order: EditOrder) -> dict[str, object]:
        for left in reversed(range(limits.EDIT_TRIES)):
            try:
                return await self._edited_now(order)
            except FileChanged:
                if not left:
                    raise
        raise AssertionError("the last try raises")

    async def _edited_now(self, order: EditOrder) -> dict[str, object]:
        found: list[tuple[bytes, str, Diff]] = []

        def find() -> None:
            found.append(self._after(order))

        try:
            await self._loop.in_thread(find)
            ((new, version, diff),) = found
            async with self._replacement(order.path) as (replacement, claim):
                await claim.grow(len(new))

                def write() -> None:
                    replacement.write(new)
                    replacement.sync()

                await self._loop.in_thread(write)
                used = replacement.commit(order.path, False, version)
        except OSError as error:
            raise refusal_of(error, order.path) from error
        return {"path": names.told(used), "size": replacement.size, **_as_answer(diff)}

    @asynccontextmanager
    async def _replacement(self, path: str) -> AsyncIterator[tuple[Replacement, Claim]]:
        """A new content beside the old one, with the room that it takes; gone at the end unless committed."""
        replacement = Replacement(self._workspace, self._token())
        claim = self._space.claim(replacement.inode)
        try:
            yield replacement, claim
        finally:
            claim.settle(kept=replacement.committed, folders=path.count("/") + 1)
            replacement.discard()

    def _after(self, order: EditOrder) -> tuple[bytes, str, Diff]:
        """The edited file's bytes, the version that was edited, and the difference; in a thread."""
        data, version = self._content(order.path)
        kind = encoding.detect_whole(data)
        if kind is None or len(data) > limits.TEXT_BYTES or (not kind.mark and b"\0" in data):
            raise _unfit(order.path, data)
        kind, before = _decoded(kind, data)
        after = edit.find(before, order.old, order.new).applied_to(before)
        new = kind.mark + _encoded(kind, after)
        if new == data:
            raise InvalidRequest(
                "This would change nothing: only line ends differ, and the file keeps its own.",
                reason="line_ends_only",
            )
        if len(new) > limits.TEXT_BYTES:
            raise _unfit(order.path, new)
        return new, version, unified(order.path, _plain(before), _plain(after))

    def _content(self, path: str) -> tuple[bytes, str]:
        """A file's bytes, one more than can be edited at most, and the version they are of."""
        with self._workspace.open(path) as (fd, state, _):
            return read_all(fd, min(state.st_size, limits.TEXT_BYTES + 1)), version_of(state)

    async def _compared(
        self, replacement: Replacement, path: str, version: str | None
    ) -> tuple[str, dict[str, object]]:
        """Commit over exactly what was compared with; a file that never rests is replaced all the same."""
        for _ in range(limits.EDIT_TRIES):
            found: list[tuple[str | None, Diff | None]] = []

            def compare() -> None:
                found.append(self._difference(replacement, path))  # noqa: B023 - awaited before the next round

            await self._loop.in_thread(compare)
            seen, diff = found[0]
            if seen is None:
                return replacement.commit(path, False, version), {"created": True}
            try:
                return replacement.commit(path, False, version or seen or None), _as_answer(diff)
            except FileChanged:
                if version:
                    raise
        return replacement.commit(path, False, version), _as_answer(None)

    def _difference(self, replacement: Replacement, path: str) -> tuple[str | None, Diff | None]:
        """The version that is there, if any, and how the new content differs; None where it is no text."""
        try:
            data, version = self._content(path)
        except NotFound:
            return None, None
        except Refusal:
            # What may not be read may still be replaced; whether it may, `commit` says.
            return "", None
        new = replacement.content() if replacement.size <= limits.TEXT_BYTES else b"\0"
        if len(data) > limits.TEXT_BYTES or b"\0" in data or b"\0" in new:
            return version, None
        return version, unified(path, _text(data), _text(new))


def _text(data: bytes) -> str:
    kind = encoding.detect_whole(data)
    kind, text = _decoded(kind or encoding.UTF8, data)
    return _plain(text)


def _decoded(kind: Encoding, data: bytes) -> tuple[Encoding, str]:
    """The text of a file, such that encoding it again gives the same bytes."""
    body = data[len(kind.mark) :]
    try:
        text = kind.decode(body)
        if kind.encode(text) == body:
            return kind, text
    except UnicodeError:
        pass
    if kind.codec != "utf-8":
        # Some bytes are none of this encoding: as UTF-8 with escapes every byte survives.
        kind = encoding.UTF8
        return kind, kind.decode(data)
    raise AssertionError("UTF-8 with escapes takes any bytes")


def _encoded(kind: Encoding, text: str) -> bytes:
    try:
        return kind.encode(text)
    except UnicodeEncodeError as error:
        wrong = text[error.start : error.start + 1]
        raise InvalidRequest(
            f"The file is {kind.codec}, which has no {shown(wrong)}. Nothing was changed.",
            reason="not_in_encoding",
            codec=kind.codec,
            character=shown(wrong),
        ) from error


def _plain(text: str) -> str:
    """For showing: bytes that are no characters as U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _unfit(path: str, data: bytes) -> Refusal:
    if len(data) > limits.TEXT_BYTES:
        most = limits.TEXT_BYTES // 1024 // 1024
        return InvalidRequest(
            f"{shown(path)} would be or is larger than {most} MB, the most for an edit. Use a script.",
            reason="edit_too_large",
            path=shown(path),
            most=most,
        )
    return BinaryFile(
        f"{shown(path)} is not text, so it was not changed.",
        reason="not_text",
        path=shown(path),
        size=len(data),
    )


def _as_answer(diff: Diff | None) -> dict[str, object]:
    return {"diff": None if diff is None else diff._asdict()}
