"""One owner's parts, put together; the shell gives what varies and calls them.

Live frames go to the tails, for those who come late, and to the audience that is there.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from contracts.allowance import Exhausted
from contracts.errors import BerthError, ErrorCode
from contracts.notices import NoticeKind
from contracts.records import Record
from contracts.states import ComputerState
from durable_objects.bot_owner.billing.allowance import Allowance, OnExhausted
from durable_objects.bot_owner.billing.circuit_desk import AskPlatform, CircuitDesk
from durable_objects.bot_owner.billing.prices import Prices
from durable_objects.bot_owner.billing.usage import UsageBook
from durable_objects.bot_owner.bot_keys import BotKeys
from durable_objects.bot_owner.branches import Branches
from durable_objects.bot_owner.calls import CallMaker
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.command_history import CommandHistory
from durable_objects.bot_owner.computer_board import ComputerBoard
from durable_objects.bot_owner.files import FileShelf
from durable_objects.bot_owner.invitations import Invitations
from durable_objects.bot_owner.key_safe import KeySafe
from durable_objects.bot_owner.loop import RunLoop
from durable_objects.bot_owner.members import Members
from durable_objects.bot_owner.messages import Inbox
from durable_objects.bot_owner.models.protocol import Model
from durable_objects.bot_owner.notices.desk import PostOffice
from durable_objects.bot_owner.notices.occasions import Occasion
from durable_objects.bot_owner.notices.parts import NoticeParts, notice_parts
from durable_objects.bot_owner.owed_stops import OwedStops
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.removals import Removals
from durable_objects.bot_owner.reporting import Reporter, TellReport
from durable_objects.bot_owner.retention import Keeping, RemovePictures
from durable_objects.bot_owner.routines.bounds import RunBounds
from durable_objects.bot_owner.routines.checks import Get
from durable_objects.bot_owner.routines.costs import JournalCosts
from durable_objects.bot_owner.routines.desk import Routines
from durable_objects.bot_owner.routines.parts import routine_parts, timer_work
from durable_objects.bot_owner.routines.rows import RoutineRows
from durable_objects.bot_owner.runs import RunJournal
from durable_objects.bot_owner.schema import SCHEMA
from durable_objects.bot_owner.search import MessageIndex
from durable_objects.bot_owner.stopping import RunStopper
from durable_objects.bot_owner.stops import Stops
from durable_objects.bot_owner.stream import Audience
from durable_objects.bot_owner.tails import LiveTails
from durable_objects.bot_owner.taint import TaintMarks
from durable_objects.bot_owner.titles import Titles
from durable_objects.bot_owner.tools import Computer, Toolbox
from durable_objects.bot_owner.unfinished import Multipart, UnfinishedUploads
from durable_objects.bot_owner.venue.account_operations import Trading
from durable_objects.bot_owner.venue.accounts import CurveSource, TradingAccounts
from durable_objects.bot_owner.venue.desk import TradingDesk
from durable_objects.bot_owner.venue.exchange import Exchange
from durable_objects.bot_owner.venue.intents import IntentRows
from durable_objects.bot_owner.venue.paper import PaperVenue
from durable_objects.bot_owner.venue.paper_settings import OwnersMarket
from durable_objects.bot_owner.venue.protocol import Venue
from durable_objects.bot_owner.venue.settings import TradingSettings
from durable_objects.bot_owner.venue.submission import Submission
from durable_objects.bot_owner.venue.venues import ChosenVenues
from durable_objects.bot_owner.window import Windows
from durable_objects.shared.audit_desk import AuditDesk, TellRecord
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row, migrate
from durable_objects.shared.timers import Timers, Work


@dataclass(frozen=True)
class Owner:
    context: Context
    members: Members
    invitations: Invitations
    catalog: Catalog
    keys: BotKeys
    record: ThreadRecord
    journal: RunJournal
    files: FileShelf
    unfinished: UnfinishedUploads
    inbox: Inbox
    branches: Branches
    removals: Removals
    search: MessageIndex
    commands: CommandHistory
    titles: Titles
    audience: Audience
    loop: RunLoop
    stops: Stops
    computer: ComputerBoard
    desk: TradingDesk
    trading: Trading
    keeping: Keeping
    allowance: Allowance
    circuit: CircuitDesk
    usage: UsageBook
    notices: NoticeParts
    routines: Routines
    stopper: RunStopper
    audit: AuditDesk
    reporter: Reporter
    owed_stops: OwedStops
    timers: Timers
    work: Mapping[str, Work]
    """What the timers of each kind do."""


async def _no_address(_url: str) -> bytes:
    raise BerthError(ErrorCode.INTERNAL, "Addresses cannot be asked here.")


def assemble(  # noqa: PLR0913 - what a shell gives, all by name
    context: Context,
    owner_id: str,
    *,
    computer: Computer,
    multipart: Multipart,
    ring_by: Callable[[int], None],
    model_of: Callable[[Row, Callable[[Row], Awaitable[str]]], Model],
    picture: Callable[[str], Awaitable[bytes | None]],
    remove_pictures: RemovePictures,
    safe: KeySafe,
    sandboxed: bool,
    exchange: Exchange,
    curve: CurveSource,
    office: PostOffice,
    ask_platform: AskPlatform,
    tell_record: TellRecord,
    tell_report: TellReport,
    prices: Prices | None = None,
    on_exhausted: OnExhausted = lambda _facts: None,
    get: Get = _no_address,
    venue: Venue | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Owner:
    """Build an owner's parts over its database, whose tables are brought up to date first."""
    migrate(context.sql, SCHEMA)
    timers = Timers(context.sql, context.now_ms, ring_by)
    tails = LiveTails()

    def all_left() -> None:
        notices.desk.left()

    audience = Audience(lambda: record, tails.of, all_left, now_ms=context.now_ms)

    def live(thread_id: str, frame: Record) -> None:
        tails.add(thread_id, frame)
        audience.live(thread_id, frame)

    catalog = Catalog(context)
    notices = notice_parts(
        context,
        owner_id,
        catalog=catalog,
        safe=safe,
        office=office,
        time_zone=lambda: allowance.time_zone,
        page_open=audience.anybody,
        ring_by=timers.bell("notices"),
    )
    record = ThreadRecord(context, audience.publish, notices.desk.appended)
    keys = BotKeys(context.sql, safe, owner_id, sandboxed=sandboxed)
    journal = RunJournal(context, record)
    files = FileShelf(context, owner_id)
    unfinished = UnfinishedUploads(context, files, multipart, timers.bell("uploads"))
    routine_rows = RoutineRows(context)

    def charged(routine_id: str, since_ms: int) -> int:
        return allowance.routine_cost(routine_id, since_ms)

    bounds = RunBounds(context, routine_rows, JournalCosts(context.sql), timers, charged)
    taint, stops = TaintMarks(context.sql), Stops()
    accounts = TradingAccounts(
        context, owner_id, exchange=exchange, curve=curve, safe=safe, sandboxed=sandboxed
    )

    market = OwnersMarket(context, catalog)
    venues = ChosenVenues(
        catalog,
        accounts,
        venue or PaperVenue(context, market, market.fault),
        exchange,
        context.now_ms,
    )

    def exhausted(facts: Exhausted) -> None:
        event = f"allowance:{context.now_ms()}"
        notices.desk.occurred(Occasion(NoticeKind.ALLOWANCE, event, until_ms=facts.resets_ms))
        on_exhausted(facts)

    allowance = Allowance(context, catalog, prices or Prices(), on_exhausted=exhausted)
    settings = TradingSettings(context, catalog, venues, market, lambda: allowance.calendar)
    desk = TradingDesk(
        context,
        owner_id,
        settings=settings,
        record=record,
        journal=journal,
        taint=taint,
        bounds=bounds,
        venues=venues,
        submission=Submission(
            context, record, IntentRows(context.sql), venues, ring_by=timers.bell("trading"), sleep=sleep
        ),
        ring_by=timers.bell("trading"),
    )
    board = ComputerBoard(catalog, record, journal, files)
    circuit = CircuitDesk(context, owner_id, catalog, ask_platform, timers.bell("circuit"))

    async def admit() -> None:
        """Whether the computer may be used for one more call."""
        allowance.check()
        await circuit.check(awake=board.view.state == ComputerState.RUNNING)

    calls = CallMaker(
        context,
        catalog=catalog,
        record=record,
        journal=journal,
        files=files,
        tools=Toolbox(computer, files, context.now_ms, admit),
        desk=desk,
        bounds=bounds,
        taint=taint,
        live=live,
        tails=tails,
    )
    owed_stops = OwedStops(context, computer.stop, timers.bell("stops"))
    loop = RunLoop(
        context,
        catalog=catalog,
        record=record,
        journal=journal,
        calls=calls,
        bounds=bounds,
        taint=taint,
        stops=stops,
        owed=owed_stops,
        windows=Windows(context.sql, record, files.picture_key, journal.kept_size),
        model_of=lambda bot: model_of(bot, keys.key_of),
        live=live,
        tails=tails,
        picture=picture,
        charge=allowance.charge_model,
    )
    inbox = Inbox(context, catalog, record, journal, files)
    branches = Branches(context.sql, catalog, record, inbox)
    keeping = Keeping(
        context,
        catalog=catalog,
        record=record,
        picture_key=files.picture_key,
        remove_pictures=remove_pictures,
        closed=audience.close_thread,
        ring_by=timers.bell("retention"),
        ring_removals_by=timers.bell("removals"),
    )
    removals = Removals(
        context,
        catalog=catalog,
        record=record,
        journal=journal,
        files=files,
        drop=lambda key: multipart.abort(key, ""),
        ring_by=timers.bell("removals"),
    )
    titles = Titles(
        context,
        catalog=catalog,
        record=record,
        journal=journal,
        model_of=lambda bot: model_of(bot, keys.key_of),
        live=audience.live,
        charge=allowance.charge_model,
    )
    stopper = RunStopper(record=record, journal=journal, stops=stops, desk=desk, owed=owed_stops)

    routines, firing = routine_parts(
        context,
        rows=routine_rows,
        catalog=catalog,
        record=record,
        journal=journal,
        inbox=inbox,
        bounds=bounds,
        timers=timers,
        venues=venues,
        get=get,
        occurred=notices.desk.occurred,
    )
    audit = AuditDesk(context, owner_id, tell_record, timers.bell("audit"))
    reporter = Reporter(context, allowance, tell_report, timers.bell("report"))
    work = timer_work(
        firing,
        bounds,
        stopper,
        {
            "uploads": unfinished.sweep,
            "trading": desk.sweep,
            "removals": removals.sweep,
            "retention": keeping.sweep,
            "circuit": circuit.sweep,
            "stops": owed_stops.sweep,
            "notices": notices.desk.sweep,
            "audit": audit.sweep,
            "report": reporter.sweep,
        },
    )
    return Owner(
        context,
        Members(context, owner_id),
        Invitations(context, owner_id),
        catalog,
        keys,
        record,
        journal,
        files,
        unfinished,
        inbox,
        branches,
        removals,
        MessageIndex(context.sql),
        CommandHistory(context.sql),
        titles,
        audience,
        loop,
        stops,
        board,
        desk,
        Trading(desk, settings, accounts, venues, market, record),
        keeping,
        allowance,
        circuit,
        UsageBook(context.sql, allowance),
        notices,
        routines,
        stopper,
        audit,
        reporter,
        owed_stops,
        timers,
        work,
    )
