"""What an owner's changes leave in the record: once each, whatever dies, and never into what was changed."""

from typing import Any

import pytest

from contracts.allowance import GrantCreate
from contracts.audit import AuditEntry, actor_of
from contracts.errors import BerthError, ErrorCode, Problem
from contracts.records import Owner
from contracts.states import Locale, RunState
from durable_objects.bot_owner.audited import AUDITED
from durable_objects.bot_owner.deletion import Deletion
from durable_objects.bot_owner.operations import Operations
from tests.unit.durable_objects.bot_owner.rig import OwnerRig
from tests.unit.people import caller

MARK = "zanzibar"
WHO = caller("o1", operator=True)
PERSON = actor_of(WHO)
UNCHANGING = {
    # They read, or prepare and do nothing.
    "admitted", "me", "bots", "threads", "thread", "search", "events", "unfinished_upload", "upload_part",
    "upload", "artifacts", "artifact", "picture", "computer", "allowance", "usage", "notices",
    "notice_deliveries", "archive", "approvals", "approval", "trading", "trading_accounts", "paper_settings",
    "membership", "members", "invitations",
    "deletable_artifact", "routines", "routine", "routine_history", "routine_times", "commands", "command",
    # The thread is their record.
    "create_thread", "rename_thread", "send", "branch", "stop_run", "stop_command", "run_routine",
    "new_upload", "add_upload", "begin_upload", "add_part", "finish_upload", "give_up_upload",
    "rename_artifact", "delete_artifact",
    # They write into the record themselves: the computer's object, the deletion.
    "sleep", "reset", "delete_me", "undelete_me",
    # A letter is on its way; what counts is that it was answered.
    "ask_email", "test_notice",
}  # fmt: skip


class Rig:
    def __init__(self, owner: OwnerRig) -> None:
        self.owner = owner
        about = Owner(id="o1", locale=Locale.ENGLISH, network="testnet", sandboxed=True, version="0")
        deletion = Deletion(owner.context, None, owner.rings.append)  # type: ignore[arg-type]
        self.operations = Operations(
            owner.owner,
            None,  # type: ignore[arg-type]
            deletion,
            None,  # type: ignore[arg-type]
            go_on=lambda: None,
            about=lambda _locale: about,
        )

    async def do(self, operation: str, **fields: Any) -> Any:
        return await self.operations.do(operation, fields, WHO)

    @property
    def told(self) -> list[tuple[str, dict[str, Any]]]:
        return [(entry.kind, dict(entry.details)) for entry in self.owner.recorded]


@pytest.fixture
def owner_rig(rig: OwnerRig) -> Rig:
    return Rig(rig)


def test_every_operation_is_in_the_record_or_changes_no_setting(owner_rig: Rig) -> None:
    assert owner_rig.operations._table.keys() == AUDITED.keys() | UNCHANGING
    assert not AUDITED.keys() & UNCHANGING


async def test_it_says_that_and_never_what(owner_rig: Rig) -> None:
    bot = await owner_rig.do(
        "create_bot",
        body={
            "name": MARK,
            "instructions": MARK,
            "model": {"provider": "openai", "model": MARK, "api_key": f"sk-{MARK}"},
        },
    )
    await owner_rig.do("change_bot", id=bot.id, body={"name": f"{MARK} 2", "model": None})
    thread = await owner_rig.do("create_thread", body={"bot_id": bot.id, "title": MARK})
    await owner_rig.do("delete_thread", id=thread.id)
    await owner_rig.do("restore_thread", id=thread.id)
    settings = {"name": MARK, "prompt": MARK, "schedule": {"kind": "every", "minutes": 60}}
    routine = await owner_rig.do("create_routine", body={**settings, "client_id": "c" * 8, "bot_id": bot.id})
    await owner_rig.do("pause_routine", id=routine.id)
    await owner_rig.do("delete_routine", id=routine.id)
    await owner_rig.do("change_me", locale="zh-Hans", time_zone="Europe/Berlin")
    await owner_rig.do("set_webhook", body={"url": f"https://{MARK}.invalid/"}, base="https://berth.invalid")
    await owner_rig.do("set_trading_switch", body={"state": "halted"})
    await owner_rig.do("grant", body=GrantCreate(id="g1", micro=5).model_dump())
    await owner_rig.do("delete_bot", id=bot.id)
    assert [kind for kind, _ in owner_rig.told] == [
        "bot_created", "bot_changed", "thread_deleted", "thread_restored", "routine_created",
        "routine_paused", "routine_deleted", "settings_changed", "notice_place_added", "trading_switch",
        "allowance_granted", "bot_deleted",
    ]  # fmt: skip
    facts = dict(owner_rig.told)
    assert facts["bot_created"] == {
        "bot_id": bot.id,
        "has_key": True,
        "fields": ["instructions", "model", "model.api_key", "model.model", "model.provider", "name"],
    }
    assert facts["bot_changed"] == {"bot_id": bot.id, "has_key": True, "fields": ["name"]}
    assert facts["settings_changed"] == {"fields": ["locale", "time_zone"]}
    assert facts["allowance_granted"] == {"grant_id": "g1", "micro": 5}
    assert MARK not in repr(owner_rig.owner.recorded)
    assert {entry.actor for entry in owner_rig.owner.recorded} == {PERSON}
    assert {entry.owner_id for entry in owner_rig.owner.recorded} == {"o1"}


async def test_what_fails_is_not_in_the_record(owner_rig: Rig) -> None:
    with pytest.raises(BerthError):
        await owner_rig.do("change_bot", id="bot_none", body={"name": "x"})
    await owner_rig.do("me")
    assert owner_rig.told == []


async def test_a_record_that_does_not_answer_holds_nothing_up_and_hears_of_it_later(owner_rig: Rig) -> None:
    rig = owner_rig.owner
    rig.record_is_down = True
    await owner_rig.do("change_me", locale="zh-Hans")
    await owner_rig.do("change_me", locale="zh-Hant")
    assert rig.owner.catalog.setting("locale", "en") == "zh-Hant"
    assert rig.recorded == []
    rig.record_is_down = False
    rig.reborn()
    rig.context.now_ms.pass_seconds(10)  # type: ignore[attr-defined]
    assert "audit" in {timer.kind for timer in await rig.fire()}
    assert [kind for kind, _ in owner_rig.told] == ["settings_changed"] * 2
    assert len({entry.id for entry in rig.recorded}) == len(rig.recorded)
    await rig.owner.audit.all()
    assert len(rig.recorded) == len(["both of them"] * 2)


async def test_one_that_was_heard_but_not_answered_is_told_again_under_its_id(owner_rig: Rig) -> None:
    rig, heard = owner_rig.owner, list[AuditEntry]()
    tell = rig.owner.audit.tell

    async def lost(entry: AuditEntry) -> None:
        heard.append(entry)
        rig.record_is_down = True
        await tell(entry)

    rig.owner.audit.tell = lost
    await owner_rig.do("change_me", locale="zh-Hans")
    rig.owner.audit.tell, rig.record_is_down = tell, False
    await rig.owner.audit.all()
    assert heard == rig.recorded


async def test_a_report_has_numbers_and_known_words_only(rig: OwnerRig) -> None:
    rig.reborn()
    run_id = rig.send("go").run.id
    journal, record = rig.owner.journal, rig.owner.record
    busy = Problem(code=ErrorCode.COMPUTER_BUSY, message=MARK)
    record.write(lambda: journal.move(run_id, RunState.FAILED, error=BerthError(busy.code, busy.message)))
    rig.context.sql.run("UPDATE bots SET name = ?", MARK)
    report = rig.owner.reporter.report()
    assert (report.bots, report.threads, report.runs, report.errors) == (
        1,
        1,
        {RunState.FAILED: 1},
        {ErrorCode.COMPUTER_BUSY: 1},
    )
    assert MARK not in report.model_dump_json()
    rig.context.now_ms.pass_seconds(25 * 3600)  # type: ignore[attr-defined]
    assert rig.owner.reporter.report().runs == {}
