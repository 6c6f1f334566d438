"""An owner for tests: real parts over SQLite, a scripted model and a computer that answers as told."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from contracts.allowance import Account, ComputerCircuit, Exhausted, Spent
from contracts.api import BotCreate, MessageAccepted, MessageCreate, ThreadCreate
from contracts.audit import AuditEntry
from contracts.errors import BerthError, ErrorCode
from contracts.notices import NoticeChannel
from contracts.operators import OwnerReport
from contracts.records import CommandResult, FileChange, Picture
from contracts.states import CommandState
from contracts.tools import Exec, ReadFile, WriteFile
from durable_objects.bot_owner.billing.circuit_desk import PlatformError
from durable_objects.bot_owner.billing.prices import Prices
from durable_objects.bot_owner.key_safe import KeyRing, KeySafe
from durable_objects.bot_owner.models.protocol import Model, Part, Question
from durable_objects.bot_owner.notices.carriers import Answered, UnreachableError
from durable_objects.bot_owner.notices.desk import Carrier, PostOffice
from durable_objects.bot_owner.notices.mail import MailHook
from durable_objects.bot_owner.notices.webhook import WebhookCarrier
from durable_objects.bot_owner.owner import Owner, assemble
from durable_objects.bot_owner.reporting import ReportError
from durable_objects.bot_owner.tools import (
    Caller,
    Changed,
    Delivered,
    Delivery,
    Exported,
    OnOutput,
    Pieces,
    Seen,
)
from durable_objects.bot_owner.venue.exchange import Exchange, closed
from durable_objects.bot_owner.venue.signing import Curve
from durable_objects.shared.audit_desk import RecordError
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row
from durable_objects.shared.timers import Timer

Answer = Sequence[Part] | BaseException | Callable[[Question], Sequence[Part]]


class ScriptedModel:
    """Gives its answers in order; an exception is raised where its turn comes."""

    reads_results = True
    reads_history = True

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.questions: list[Question] = []

    async def answer(self, question: Question) -> AsyncGenerator[Part, None]:
        self.questions.append(question)
        if not self.answers:
            return
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        for part in answer(question) if callable(answer) else answer:
            yield part


class AesGcm:
    """The cipher of the safe, by another implementation than the Worker's."""

    async def seal(self, key: bytes, nonce: bytes, text: bytes, about: bytes) -> bytes:
        return AESGCM(key).encrypt(nonce, text, about)

    async def open(self, key: bytes, nonce: bytes, sealed: bytes, about: bytes) -> bytes:
        try:
            return AESGCM(key).decrypt(nonce, sealed, about)
        except InvalidTag as error:
            raise ValueError("not sealed so") from error


class FakeComputer:
    """Runs nothing: remembers what it was asked, and answers `echo` of the command."""

    def __init__(self) -> None:
        self.executed: list[tuple[str, str]] = []
        self.delivered: list[str] = []
        self.accounts: list[Account] = []
        self.full = False
        self.pictures: dict[str, bytes] = {}
        self.written: list[WriteFile] = []
        self.stopped: list[str] = []
        """Every call that was asked to stop, each time."""
        self.unreachable = False
        """Whether nobody hears that."""
        self.exported: list[tuple[str, str]] = []
        self.error: BerthError | None = None
        self.hold: asyncio.Event | None = None
        self.begun = asyncio.Event()

    def charged_to(self, account: Account) -> "FakeComputer":
        self.accounts.append(account)
        return self

    async def exec(
        self, command_id: str, arguments: Exec, caller: Caller, on_output: OnOutput
    ) -> CommandResult:
        if self.error:
            raise self.error
        self.executed.append((command_id, arguments.command))
        self.begun.set()
        on_output("stdout", 0, f"ran {arguments.command}\n")
        if self.hold:
            await self.hold.wait()
        return CommandResult(
            id=command_id,
            state=CommandState.EXITED,
            exit_code=0,
            duration_ms=5,
            output=f"ran {arguments.command}\n",
        )

    async def stop(self, command_id: str) -> bool:
        self.stopped.append(command_id)
        if self.unreachable:
            raise BerthError(ErrorCode.COMPUTER_UNAVAILABLE, "The computer did not answer.")
        return True

    async def read_file(self, arguments: ReadFile, picture_key: str) -> Seen:
        if arguments.path.endswith(".png"):
            self.pictures[picture_key] = b"\x89PNG"
            return Seen("A picture.", Picture(media_type="image/png", width=3, height=2, size=4))
        return Seen(f"     1\tcontent of {arguments.path}")

    async def write_file(self, call_id: str, path: str, content: Pieces) -> Changed:
        text = "".join(content())
        self.written.append(WriteFile(path=path, content=text))
        return Changed(FileChange(path=path, size=len(text.encode()), created=True), "")

    async def edit_file(self, call_id: str, path: str, old: Pieces, new: Pieces) -> Changed:
        diff = f"-{''.join(old())}\n+{''.join(new())}\n"
        return Changed(FileChange(path=path, size=3, added=1, removed=1), diff)

    async def export(self, path: str, key: str) -> Exported:
        self.exported.append((path, key))
        if path == "missing":
            raise BerthError(ErrorCode.NOT_FOUND, "There is no such file.")
        return Exported(path.rsplit("/", 1)[-1], "text/csv", 3, "0" * 64)

    async def deliver(self, waiting: list[Delivery]) -> Delivered:
        if self.full:
            return Delivered([], full=True)
        self.delivered += [item.id for item in waiting]
        return Delivered([(item.id, f"/workspace/uploads/{item.name}") for item in waiting])


class FakeMultipart:
    """R2's multipart uploads in memory: which parts it has, and objects with their sizes."""

    def __init__(self) -> None:
        self.begun: dict[str, str] = {}
        self.objects: dict[str, int] = {}
        self.aborted: list[str] = []
        self.size: int | None = None
        self.error: BerthError | None = None
        self.meanwhile: Callable[[], None] = lambda: None

    def _answer(self) -> None:
        self.meanwhile()
        if self.error:
            raise self.error

    async def begin(self, key: str) -> str:
        self._answer()
        self.begun[key] = f"r2-{len(self.begun)}"
        return self.begun[key]

    async def complete(self, key: str, multipart_id: str, _parts: list[tuple[int, str]]) -> int | None:
        assert self.begun[key] == multipart_id
        if self.size is not None:
            self.objects[key] = self.size
        self._answer()
        return self.size

    async def abort(self, key: str, _multipart_id: str) -> None:
        self._answer()
        self.aborted.append(key)
        self.objects.pop(key, None)


async def _no_curve() -> Curve:
    raise AssertionError("nothing is signed here")


@dataclass
class FakePost:
    """Whoever takes notices: remembers what was sent, and answers as told; 201 where it was told nothing."""

    sent: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    answers: list[Answered | UnreachableError] = field(default_factory=list)
    hurried: int = 0
    meanwhile: Callable[[], None] = lambda: None
    channels: dict[NoticeChannel, Carrier] = field(
        default_factory=lambda: {NoticeChannel.WEBHOOK: WebhookCarrier()}
    )
    push_key: str | None = None
    mail: MailHook | None = None

    @property
    def office(self) -> PostOffice:
        return PostOffice(self._send, self.channels, self._hurry, self.push_key, self.mail)

    async def _send(self, url: str, headers: Mapping[str, str], body: bytes) -> Answered:
        self.sent.append((url, dict(headers), body))
        self.meanwhile()
        answer = self.answers.pop(0) if self.answers else Answered(201)
        if isinstance(answer, UnreachableError):
            raise answer
        return answer

    def _hurry(self) -> None:
        self.hurried += 1


class OwnerRig:
    def __init__(self, context: Context, model: Model | None = None, owner_id: str = "o1") -> None:
        self.context = context
        self.owner_id = owner_id
        self.model: Model = model or ScriptedModel()
        self.models_made: list[Row] = []
        """Of each model that was made, whatever it is: it is always `model` that answers."""
        self.computer = FakeComputer()
        self.multipart = FakeMultipart()
        self.rings: list[int] = []
        self.ring = {"k1": b"k" * 32}
        self.prices = Prices()
        self.exhausted: list[Exhausted] = []
        self.circuit = ComputerCircuit()
        self.told: list[Spent] = []
        self.platform_is_down = False
        self.recorded: list[AuditEntry] = []
        self.reports: list[OwnerReport] = []
        self.record_is_down = False
        self.post = FakePost()
        self.owner = self.reborn()
        self.bot = self.owner.catalog.create_bot(BotCreate(name="Data"))
        self.thread = self.owner.catalog.create_thread(ThreadCreate(bot_id=self.bot.id))
        self._sent = 0

    def reborn(self) -> Owner:
        """The object after it lost its memory."""
        self.owner = assemble(
            self.context,
            self.owner_id,
            computer=self.computer,
            multipart=self.multipart,
            ring_by=self.rings.append,
            model_of=self._model_of,
            picture=self._picture,
            remove_pictures=self._remove_pictures,
            safe=KeySafe(KeyRing(self.ring), AesGcm(), self.context.entropy),
            ask_platform=self._ask_platform,
            tell_record=self._tell_record,
            tell_report=self._tell_report,
            prices=self.prices,
            on_exhausted=self.exhausted.append,
            **{
                "sandboxed": True,
                "exchange": self._no_exchange(),
                "curve": _no_curve,
                "office": self.post.office,
                **self._trading(),
            },
        )
        return self.owner

    def _no_exchange(self) -> Exchange:
        return Exchange("testnet", closed("this is a test"), self.context.now_ms)

    def _trading(self) -> dict[str, Any]:
        """The venue and how it is waited for, where a test has its own."""
        return {}

    async def _tell_record(self, entry: AuditEntry) -> None:
        if self.record_is_down:
            raise RecordError("it is down")
        self.recorded.append(entry)

    async def _tell_report(self, report: OwnerReport) -> None:
        if self.record_is_down:
            raise ReportError("it is down")
        self.reports.append(report)

    async def _ask_platform(self, spent: Spent) -> ComputerCircuit:
        if self.platform_is_down:
            raise PlatformError("nobody is there")
        self.told.append(spent)
        return self.circuit

    async def fire(self) -> list[Timer]:
        """What the alarm does with what is due: fire it, in order. Returns what was fired."""
        due = self.owner.timers.due()
        for timer in due:
            await self.owner.timers.fire(timer, self.owner.work[timer.kind])
        return due

    def _model_of(self, bot: Row, _own_key: object) -> Model:
        self.models_made.append(bot)
        return self.model

    async def _picture(self, key: str) -> bytes | None:
        return self.computer.pictures.get(key)

    async def _remove_pictures(self, keys: list[str]) -> None:
        if self.computer.error:
            raise self.computer.error
        for key in keys:
            self.computer.pictures.pop(key, None)

    def send(
        self,
        text: str,
        *upload_ids: str,
        client_id: str | None = None,
        during: Literal["steer", "queue"] = "steer",
    ) -> MessageAccepted:
        self._sent += 1
        wanted = MessageCreate(
            client_id=client_id or f"client-{self._sent:04}",
            text=text,
            upload_ids=list(upload_ids),
            during=during,
        )
        return self.owner.inbox.accept(self.thread.id, wanted)

    async def ask(self, text: str, *upload_ids: str) -> str:
        """Send a message and drive its run; returns the run's id."""
        run_id = self.send(text, *upload_ids).run.id
        await self.owner.loop.drive(run_id)
        return run_id

    def events(self, kind: str | None = None) -> list[dict[str, Any]]:
        rows = self.owner.record.all(self.thread.id)
        return [
            {"seq": row["seq"], "type": row["type"], **json.loads(row["data"])}
            for row in rows
            if kind in (None, row["type"])
        ]

    def notices(self, code: str) -> list[dict[str, Any]]:
        return [event for event in self.events("notice") if event["code"] == code]

    def kinds(self) -> list[str]:
        return [
            event["type"] + (":" + event["state"] if event["type"] == "run.status" else "")
            for event in self.events()
        ]
