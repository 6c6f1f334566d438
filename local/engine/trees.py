"""Copying, packing, unpacking and deleting the folders of computers.

What lies in those folders was written by untrusted programs: links, odd names, odd modes. So the
work is done by cp, tar and rm in a sandbox of their own (`sandbox.tool_arguments`) that sees only
the folders in question, as the host user who owns them. A link can lead such a tool nowhere else.
"""

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from local.engine.children import read_from, taken, watch, write_to
from local.engine.errors import NoSuchObjectError, TreeFailedError
from local.engine.sandbox import Folder, tool_arguments
from local.engine.system import System

CHUNK = 256 * 1024
ERROR_BYTES = 4096
MISSING = 44
IS_FOLDER = 'test -d "$1" || exit 44; '
EXISTS = 'test -e "$1" || test -L "$1" || exit 44; '


@dataclass
class Tool:
    """A running tool. What it complains of is read all the time, so that it cannot block on it."""

    popen: subprocess.Popen[bytes]
    ended: asyncio.Future[int]
    output: asyncio.StreamReader
    input: asyncio.StreamWriter | None
    complaint: asyncio.Task[bytes]

    async def finish(self, what: str) -> None:
        code = await self.ended
        complaint = (await self.complaint).decode(errors="replace").strip()
        if code == MISSING:
            raise NoSuchObjectError(f"there is no such folder or file in the container ({what})")
        if code != 0:
            raise TreeFailedError(f"{what} failed with {code}: {complaint}")

    async def parts(self) -> AsyncIterator[bytes]:
        while part := await self.output.read(CHUNK):
            yield part

    async def feed(self, parts: AsyncIterator[bytes]) -> None:
        if self.input is None:
            raise ValueError("the tool was started without an input")
        try:
            async for part in parts:
                if self.ended.done():
                    continue  # it gave up; the rest of the body is read and dropped
                self.input.write(part)
                await self.input.drain()
        except ConnectionError:
            pass  # it gave up in the middle, and says why when it is finished
        finally:
            self.input.close()

    async def abandon(self) -> None:
        if not self.ended.done():
            self.popen.kill()
        await self.ended
        await self.complaint
        if self.input is not None:
            self.input.close()


@dataclass(frozen=True)
class Workbench:
    system: System
    bwrap: str
    sandboxed: bool
    as_root: bool

    async def copy(self, source: Path, target: Path) -> None:
        """Copy all in `source` into the empty folder `target`; both have one owner."""
        folders = [Folder(str(source), "/src", True), Folder(str(target), "/dst")]
        command = ["cp", "-a", "--reflink=auto", "/src/.", "/dst/"]
        await self._run(folders, command, f"copying {source.name}")

    async def size(self, folder: Path) -> int:
        tool = await self._start([Folder(str(folder), "/src", True)], ["du", "-s", "-B1", "/src"])
        text = b"".join([part async for part in tool.parts()])
        await tool.finish("measuring")
        return int(text.split()[0])

    async def delete(self, folder: Path) -> None:
        """Delete a folder whatever is in it; it is renamed by the caller, so nobody looks for it."""
        if folder.exists() and not folder.is_symlink():
            command = ["find", "/dst", "-mindepth", "1", "-delete"]
            if any(folder.iterdir()):
                await self._run([Folder(str(folder), "/dst")], command, "deleting")
            folder.rmdir()

    async def pack(self, folders: Sequence[Folder], path: str) -> AsyncIterator[bytes]:
        """Yield a tar of `path`; of what is in it, without its own name, if it ends in `/.`."""
        if path.endswith("/."):
            script = IS_FOLDER + 'exec tar -C "$1" --sparse -cf - .'
            tool = await self._shell(folders, script, path[:-2] or "/")
        else:
            folder, _, name = path.rstrip("/").rpartition("/")
            script = EXISTS + 'exec tar -C "$2" --sparse -cf - -- "$3"'
            tool = await self._shell(folders, script, path, folder or "/", name)
        try:
            async for part in tool.parts():
                yield part
            await tool.finish("packing")
        finally:
            await tool.abandon()

    async def unpack(self, folders: Sequence[Folder], path: str, parts: AsyncIterator[bytes]) -> None:
        script = IS_FOLDER + 'exec tar -C "$1" -x -p --no-same-owner --warning=no-timestamp -f -'
        tool = await self._shell(folders, script, path, stdin=True)
        try:
            await tool.feed(parts)
            await tool.finish("unpacking")
        finally:
            await tool.abandon()

    def own(self, folder: Path, user: int) -> None:
        """Give a folder and all in it to `user`. No program may be running on it."""
        if not self.as_root:
            return
        for _, folders, files, descriptor in os.fwalk(folder):
            for name in (*folders, *files):
                os.chown(name, user, user, dir_fd=descriptor, follow_symlinks=False)
        os.chown(folder, user, user)

    async def _run(self, folders: Sequence[Folder], command: Sequence[str], what: str) -> None:
        tool = await self._start(folders, command)
        try:
            async for _ in tool.parts():
                pass
            await tool.finish(what)
        finally:
            await tool.abandon()

    async def _shell(
        self, folders: Sequence[Folder], script: str, *arguments: str, stdin: bool = False
    ) -> Tool:
        return await self._start(folders, ["/bin/sh", "-c", script, "sh", *arguments], stdin=stdin)

    async def _start(self, folders: Sequence[Folder], command: Sequence[str], *, stdin: bool = False) -> Tool:
        user = os.stat(folders[0].source).st_uid if self.as_root and self.sandboxed else None
        if self.sandboxed:
            arguments = tool_arguments(self.system, self.bwrap, folders, command)
        else:
            arguments = [_outside(folders, part) for part in command]
        popen = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
            cwd="/",
        )
        # In this order: a tool that ends at once leaves its pipes behind, but not its end.
        ended = watch(popen)
        return Tool(
            popen,
            ended,
            output=await read_from(taken(popen.stdout)),
            input=await write_to(taken(popen.stdin)) if stdin else None,
            complaint=asyncio.create_task(_beginning(await read_from(taken(popen.stderr)))),
        )


def _outside(folders: Sequence[Folder], part: str) -> str:
    """Return where on the host a path inside is, for tools that run without a sandbox."""
    for folder in sorted(folders, key=lambda folder: -len(folder.target)):
        if part == folder.target or part.startswith(folder.target + "/"):
            return folder.source + part[len(folder.target) :]
    return part


async def _beginning(reader: asyncio.StreamReader) -> bytes:
    """Read all of a stream and return what fits of its beginning."""
    kept = b""
    while part := await reader.read(ERROR_BYTES):
        kept += part[: ERROR_BYTES - len(kept)]
    return kept
