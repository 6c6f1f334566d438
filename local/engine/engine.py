"""The engine: which containers there are, and what can be done with them.

Everything that Docker's API offers here ends in a method of `Engine`. What changes one container
takes its turn on that container's lock; between the check of a state and its move there is no
await, so two requests cannot both start it. The end of a container is noticed by a task that its
start leaves behind.
"""

import asyncio
import json
import logging
import secrets
import signal
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path

from local.engine.authority import Authority
from local.engine.cgroups import Hierarchies, Limits, rlimits
from local.engine.containers import FILES, Container
from local.engine.egress import Gateway
from local.engine.errors import (
    AlreadyDoneError,
    NoSuchObjectError,
    StartFailedError,
    WrongStateError,
)
from local.engine.execs import Exec
from local.engine.groups import Groups
from local.engine.images import Image, Images
from local.engine.ingress import Inside, Sidecar
from local.engine.launch import PROXY_PORT, Sandbox, start_sandbox
from local.engine.leftovers import record_process
from local.engine.records import Spec, Status, parse_name, slot
from local.engine.running import Running, proxy_variables, start_plain
from local.engine.sandbox import BASE_ENVIRONMENT, Folder, Plan, computer_arguments
from local.engine.system import System
from local.engine.trees import Workbench
from local.engine.volumes import Volumes

log = logging.getLogger(__name__)

USERS_FROM, USERS = 1_900_000_000, 65_536
STOP_SECONDS = 10.0
EXEC_LIMIT = 512
ENTRY_POINT = ("/usr/bin/python3", "-I", "-B", "/opt/berth/computerd")


@dataclass(frozen=True)
class Settings:
    state: Path
    system: System
    bwrap: str
    hierarchies: Hierarchies
    limits: Limits
    filter: bytes | None
    tmp_bytes: int
    sandboxed: bool
    as_root: bool
    image_version: str = ""


@dataclass
class Engine:
    settings: Settings
    authority: Authority
    containers: dict[str, Container] = field(default_factory=dict)
    execs: dict[str, Exec] = field(default_factory=dict)
    listeners: set[asyncio.Queue[dict[str, object]]] = field(default_factory=set)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        s = self.settings
        by_process = s.sandboxed and s.hierarchies.kind == "rlimits"
        self.wrapper = rlimits(s.limits) if by_process else ()
        self.workbench = Workbench(s.system, s.bwrap, s.sandboxed, s.as_root)
        self.images = Images(s.state / "i", self.workbench, s.image_version)
        self.volumes = Volumes(s.state / "v", self.workbench, USERS_FROM)

    def find(self, name: str) -> Container:
        """Return the container of that name or id.

        Asked for by a name with another session in it, the container is adopted: the workerd that
        made it is gone, and the one that asks has its objects.
        """
        if (container := self.containers.get(slot(name))) is not None:
            container.rename(name)
            return container
        for container in self.containers.values():
            if container.id == name:
                return container
        raise NoSuchObjectError(f"No such container: {name}")

    async def create(self, name: str, spec: Spec) -> Container:
        identity = secrets.token_hex(32)
        name = parse_name(name or identity[:12])
        place = slot(name)
        old = self.containers.get(place)
        if old is not None and old.status is Status.EXITED and not old.turn.locked():
            await self.remove(old)  # Docker would refuse, and workerd then wait before it retries
        if place in self.containers:
            raise WrongStateError(f'Conflict. The container name "{name}" is already in use.')
        image = self.images.inspect(spec.image)
        container = Container(
            id=identity,
            name=name,
            spec=spec,
            folder=self.settings.state / "c" / identity[:10],
            user=self._free_user(image) if self.settings.as_root else None,
            groups=Groups(self.settings.hierarchies, identity[:10]),
            made_at=time.time(),
        )
        self.containers[place] = container
        if spec.is_sidecar:
            container.sidecar = Sidecar(self.authority.pem, lambda: self._inside(place))
            return container
        try:
            await self._fill(container, image)
        except BaseException:
            await self.remove(container)
            raise
        return container

    async def _fill(self, container: Container, image: Image) -> None:
        container.folder.mkdir(parents=True)
        container.volumes = [
            Folder(str(self.volumes.files(mount.volume)), mount.target, mount.read_only)
            for mount in container.spec.mounts
        ]
        if self.images.is_snapshot(image):
            container.files.mkdir()
            await self.images.restore(image, container.files, time.time())
            if container.user is not None and container.user != self.images.owner(image):
                await asyncio.to_thread(self.workbench.own, container.files, container.user)
        container.make_folders()

    def _free_user(self, image: Image) -> int:
        """Return a host user that no other container has; a snapshot's own one if it is free."""
        taken = {container.user for container in self.containers.values()}
        if self.images.is_snapshot(image) and (owner := self.images.owner(image)) not in taken:
            return owner
        for user in range(USERS_FROM + 1, USERS_FROM + USERS):
            if user not in taken:
                return user
        raise WrongStateError("there are too many containers")

    async def start(self, container: Container) -> None:
        async with container.turn:
            if container.status is Status.RUNNING:
                raise AlreadyDoneError("container already started")
            if container.sidecar is not None:
                await container.sidecar.start()
                container.move("started")
            elif container.spec.is_copy:
                await self._copy_volume(container)
            else:
                await self._run(container)
            container.started_at = time.time()
        self._tell(container, "start")

    async def _run(self, container: Container) -> None:
        command = (*container.spec.entrypoint, *container.spec.command) or ENTRY_POINT
        if container.user is not None:
            for folder in container.volumes:
                await asyncio.to_thread(self.workbench.own, Path(folder.source), container.user)
        if self.settings.sandboxed:
            running: Running = await self._sandbox(container, command)
        else:
            running = self._plain(container)
        container.running = running
        container.move("started")
        record_process(container.folder, running.leader)
        container.gateway = Gateway(running.doors, self.authority, lambda: self._egress_port(container))
        container.gateway.start()
        self._spawn(self._watch(container, running))

    async def _sandbox(self, container: Container, command: tuple[str, ...]) -> Sandbox:
        s = self.settings
        owner = container.user if container.user is not None else -1
        container.groups.make(s.limits, owner)
        proxy = proxy_variables(PROXY_PORT)
        environment = {**BASE_ENVIRONMENT, **container.spec.environment, **proxy}
        plan = Plan(
            system=s.system,
            folders=container.kept_folders(),
            certificates=str(container.certificates),
            command=(*self.wrapper, *command),
            environment=environment,
            tmp_bytes=s.tmp_bytes,
            cgroups=container.groups.folders(),
        )
        try:
            sandbox = await start_sandbox(
                lambda info, block, program: computer_arguments(plan, s.bwrap, info, block, program),
                user=container.user,
                groups=container.groups,
                program=s.filter,
            )
        except (OSError, StartFailedError) as error:
            await container.groups.remove()
            raise StartFailedError(f"the sandbox did not start: {error}") from error
        sandbox.environment = environment
        return sandbox

    def _plain(self, container: Container) -> Running:
        spec, computer = container.spec, self.settings.system.computer
        command = (*spec.entrypoint, *spec.command)
        if not command and computer is None:
            raise StartFailedError("without a sandbox a computer needs --computer")
        program = None if command else computer
        return start_plain(command, program, spec.environment, container.files, container.certificates)

    async def _copy_volume(self, container: Container) -> None:
        source, target = (Path(folder.source) for folder in container.volumes)
        container.move("started")
        try:
            await self.workbench.copy(source, target)
        finally:
            container.move("exited")

    async def _watch(self, container: Container, running: Running) -> None:
        container.exit_code = await running.process.ended
        container.out_of_memory = container.groups.was_out_of_memory()
        log.info("%s ended with %d: %s", container.name, container.exit_code, running.process.tail())
        if container.gateway is not None:
            container.gateway.stop()
            container.gateway = None
        running.close()
        container.running = None
        container.finished_at = time.time()
        container.move("exited")
        self._tell(container, "die")
        await container.groups.remove()

    async def stop(self, container: Container, seconds: float = STOP_SECONDS) -> None:
        if container.status is not Status.RUNNING:
            raise AlreadyDoneError("container already stopped")
        if container.sidecar is not None:
            container.sidecar.stop()
            container.move("exited")
            return
        self.signal(container, signal.SIGTERM)
        try:
            await asyncio.wait_for(container.exited.wait(), seconds)
        except TimeoutError:
            self.signal(container, signal.SIGKILL)
            await container.exited.wait()

    def signal(self, container: Container, number: int) -> None:
        if container.status is not Status.RUNNING:
            raise WrongStateError(f"Container {container.name} is not running")
        if container.running is not None:
            container.running.signal(number)

    async def remove(self, container: Container) -> None:
        async with container.turn:
            if container.status is Status.REMOVED:
                return
            if container.sidecar is not None:
                container.sidecar.stop()
            if container.running is not None:
                container.running.signal(signal.SIGKILL)
                await container.exited.wait()
            container.move("removed")
            del self.containers[slot(container.name)]
            self.execs = {k: v for k, v in self.execs.items() if v.container != container.id}
        self._tell(container, "destroy")
        if container.folder.exists():
            gone = self.settings.state / "t" / container.folder.name
            container.folder.rename(gone)
            self._spawn(self._discard(gone))

    async def _discard(self, folder: Path) -> None:
        # The files belong to the computer's user, the folder around them to the engine.
        await self.workbench.delete(folder / FILES)
        await self.workbench.delete(folder)

    def add_exec(self, container: Container, record: Exec) -> None:
        if container.running is None:
            raise WrongStateError(f"Container {container.name} is not running")
        if len(self.execs) >= EXEC_LIMIT:
            over = {k for k, v in self.execs.items() if v.exit_code is not None}
            self.execs = {k: v for k, v in self.execs.items() if k not in over}
        if len(self.execs) >= EXEC_LIMIT:
            raise WrongStateError(f"there are {EXEC_LIMIT} execs already")
        record.command = (*self.wrapper, *record.command)
        self.execs[record.id] = record

    def start_exec(self, record: Exec, attach: bool) -> None:
        container = self.find(record.container)
        if container.running is None:
            raise WrongStateError(f"Container {container.name} is not running")
        record.start(container.running, container.groups, self.settings.filter, attach)

    def _inside(self, sidecar: str) -> Inside | None:
        for container in self.containers.values():
            if slot(container.spec.network_of) == sidecar and container.running is not None:
                return container.running
        return None

    def _egress_port(self, container: Container) -> int | None:
        sidecar = self.containers.get(slot(container.spec.network_of))
        return sidecar.sidecar.egress_port if sidecar is not None and sidecar.sidecar else None

    def _tell(self, container: Container, action: str) -> None:
        event: dict[str, object] = {
            "Type": "container",
            "Action": action,
            "Actor": {"ID": container.id, "Attributes": {"name": container.name}},
            "time": int(time.time()),
        }
        for queue in self.listeners:
            queue.put_nowait(json.loads(json.dumps(event)))

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def close(self) -> None:
        """Stop and remove every container and wait until their files are gone."""
        containers = list(self.containers.values())
        await asyncio.gather(*(self.remove(container) for container in containers))
        await asyncio.gather(*self.tasks, return_exceptions=True)
