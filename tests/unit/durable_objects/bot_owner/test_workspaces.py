"""Workspaces: who comes, by what, as what, and who goes; one of them stays an owner, whatever is asked."""

from typing import Any

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import INVITATION_DAYS, MEMBER_INVITATIONS_MAX, MEMBERS_MAX
from contracts.people import OWNER_RIGHTS, Right, Role
from durable_objects.bot_owner.departures import Departures
from durable_objects.bot_owner.joining import Joining
from durable_objects.bot_owner.operations import Operations
from durable_objects.bot_owner.stream import NO_MEMBER, Holder, Watcher
from durable_objects.shared.context import Context
from durable_objects.shared.secret import hashed, invited_to
from tests.unit.durable_objects.bot_owner.rig import OwnerRig
from tests.unit.durable_objects.bot_owner.test_deletion import Estate, deletion, operations_of
from tests.unit.durable_objects.conftest import Clock
from tests.unit.people import caller

HERE = "owner_" + "0" * 26
ADA, BOB, EVE = "person_a", "person_b", "person_e"


class Workspace:
    """One that Ada has created."""

    def __init__(self, context: Context) -> None:
        self.rig = OwnerRig(context, owner_id=HERE)
        self.deletion = deletion(context, Estate(context))
        self.joining = Joining(self.rig.owner, HERE, self.deletion)
        self.operations: Operations = operations_of(self.rig, self.deletion, owner_id=HERE)

    async def do(self, who: str, operation: str, **fields: Any) -> Any:
        return await self.operations.do(operation, fields, caller(who, HERE))

    async def join(self, who: str, operation: str, **fields: Any) -> Any:
        return await self.joining.do(operation, {"name": who, **fields}, caller(who))

    async def code(self, role: Role = Role.MEMBER) -> str:
        return str((await self.do(ADA, "invite", body={"role": role})).code)

    async def accept(self, who: str, code: str) -> Any:
        return await self.join(who, "accept", hash=hashed(code))

    async def with_bob(self, role: Role = Role.MEMBER) -> None:
        await self.accept(BOB, await self.code(role))

    @property
    def roles(self) -> dict[str, Role]:
        return {one.person_id: one.role for one in self.rig.owner.members.all()}

    @property
    def told(self) -> list[str]:
        return [entry.kind for entry in self.rig.recorded]


@pytest.fixture
async def here(context: Context) -> Workspace:
    made = Workspace(context)
    await made.join(ADA, "found", workspace="Crew")
    return made


async def refused(work: Any) -> ErrorCode:
    with pytest.raises(BerthError) as caught:
        await work
    return caught.value.code


class Listening:
    def __init__(self) -> None:
        self.closed: int | None = None

    def send(self, text: str) -> None: ...

    def keep(self, cursor: int) -> None: ...

    def close(self, code: int, reason: str) -> None:
        self.closed = code


async def test_who_creates_it_is_its_owner_and_nobody_takes_it_that_way(here: Workspace) -> None:
    assert here.roles == {ADA: Role.OWNER}
    assert (await here.join(ADA, "found", workspace="Other")).name == "Crew"
    assert await refused(here.join(EVE, "found", workspace="Mine")) == ErrorCode.NOT_FOUND
    assert (await here.do(ADA, "membership")).model_dump() == {"id": HERE, "name": "Crew", "role": "owner"}
    assert here.told == ["workspace_created"]


async def test_a_persons_own_is_no_workspace(rig: OwnerRig) -> None:
    made = deletion(rig.owner.context, Estate(rig.owner.context))
    joining = Joining(rig.owner, "o1", made)
    asked = {"workspace": "x", "name": "x", "hash": "x", "who": "x"}
    for operation in ("found", "accept"):
        assert await refused(joining.do(operation, asked, caller(EVE))) == ErrorCode.NOT_FOUND
    for operation in ("look", "lets_in"):
        assert await refused(joining.do(operation, asked)) == ErrorCode.NOT_FOUND
    operations = operations_of(rig, made)
    for operation, fields in (("invite", {"body": {}}), ("change_me", {"name": "x"})):
        assert await refused(operations.do(operation, fields, caller("o1"))) == ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize("role", list(Role))
async def test_an_invitation_gives_its_role_to_one_person(here: Workspace, role: Role) -> None:
    code = await here.code(role)
    shown = await here.joining.do("look", {"hash": hashed(code)})
    assert (shown.name, shown.role, shown.owner_id) == ("Crew", role, HERE)
    assert (await here.accept(BOB, code)).role == role
    assert await refused(here.accept(EVE, code)) == ErrorCode.NOT_FOUND
    # The answer may have been lost on its way.
    assert (await here.accept(BOB, code)).role == role
    assert here.roles == {ADA: Role.OWNER, BOB: role}
    assert here.told == ["workspace_created", "invitation_made", "member_joined"]


async def test_who_belongs_there_uses_up_no_invitation_and_gets_no_other_role(here: Workspace) -> None:
    await here.with_bob(Role.VIEWER)
    code = await here.code(Role.OWNER)
    assert (await here.accept(BOB, code)).role == Role.VIEWER
    assert (await here.accept(EVE, code)).role == Role.OWNER


async def test_an_invitation_ends_and_can_be_taken_back(here: Workspace, clock: Clock) -> None:
    code = await here.code()
    (waiting,) = (await here.do(ADA, "invitations")).items
    clock.ms = waiting.expires_ms - 1
    assert (await here.joining.do("look", {"hash": hashed(code)})).expires_ms == clock.ms + 1
    clock.ms += 1
    assert await refused(here.accept(BOB, code)) == ErrorCode.NOT_FOUND
    assert (await here.do(ADA, "invitations")).items == []
    assert waiting.expires_ms - waiting.created_ms == INVITATION_DAYS * 86_400_000
    made = await here.do(ADA, "invite", body={})
    await here.do(ADA, "take_back_invitation", id=made.id)
    assert await refused(here.accept(BOB, made.code)) == ErrorCode.NOT_FOUND
    assert await refused(here.do(ADA, "take_back_invitation", id=made.id)) == ErrorCode.NOT_FOUND
    assert here.roles == {ADA: Role.OWNER}


async def test_its_code_is_kept_nowhere_and_says_whose_it_is(here: Workspace, context: Context) -> None:
    code = await here.code()
    assert invited_to(code) == (HERE, hashed(code))
    assert invited_to(f"{code}x") is invited_to(code.replace(HERE, ADA)) is None
    assert code not in str(context.sql.execute("SELECT * FROM invitations"))
    assert code not in repr(here.rig.recorded)


async def test_as_many_wait_as_may_and_not_one_more(here: Workspace) -> None:
    codes = [await here.code() for _ in range(MEMBER_INVITATIONS_MAX)]
    assert await refused(here.code()) == ErrorCode.INVALID_REQUEST
    await here.accept(BOB, codes[0])
    await here.code()


async def test_as_many_belong_to_it_as_may_and_not_one_more(here: Workspace) -> None:
    for number in range(MEMBERS_MAX - 1):
        await here.accept(f"p{number}", await here.code())
    code = await here.code()
    assert await refused(here.accept(BOB, code)) == ErrorCode.INVALID_REQUEST
    await here.do(ADA, "remove_member", id="p0")
    await here.accept(BOB, code)
    assert len(here.roles) == MEMBERS_MAX


async def test_the_last_owner_stays_one(here: Workspace) -> None:
    await here.with_bob()
    demotion = {"id": ADA, "body": {"role": "viewer"}}
    for operation, fields in (("leave", {}), ("remove_member", {"id": ADA}), ("change_member", demotion)):
        assert await refused(here.do(ADA, operation, **fields)) == ErrorCode.LAST_OWNER
    assert (await here.do(ADA, "change_member", id=ADA, body={"role": "owner"})).role == Role.OWNER
    await here.do(ADA, "change_member", id=BOB, body={"role": "owner"})
    await here.do(ADA, "leave")
    assert here.roles == {BOB: Role.OWNER}
    assert await refused(here.do(BOB, "leave")) == ErrorCode.LAST_OWNER


async def test_a_role_counts_from_when_it_is_changed(here: Workspace) -> None:
    await here.with_bob(Role.VIEWER)
    bot = await here.do(ADA, "create_bot", body={"name": "Bot"})
    wanted = {"body": {"bot_id": bot.id}}
    assert await refused(here.do(BOB, "create_thread", **wanted)) == ErrorCode.FORBIDDEN
    await here.do(ADA, "change_member", id=BOB, body={"role": "member"})
    await here.do(BOB, "create_thread", **wanted)
    assert await refused(here.do(BOB, "invite", body={})) == ErrorCode.FORBIDDEN
    assert await refused(here.do(ADA, "change_member", id=EVE, body={"role": "owner"})) == ErrorCode.NOT_FOUND


@pytest.mark.parametrize("how", ["remove_member", "leave"])
async def test_who_goes_watches_nothing_any_more_and_the_others_do(here: Workspace, how: str) -> None:
    await here.with_bob()
    watching = {who: Listening() for who in (ADA, BOB)}
    for who, outlet in watching.items():
        here.rig.owner.audience.restore(who, Watcher("t1", outlet, 0, holder=Holder(who)))
    await (here.do(ADA, how, id=BOB) if how == "remove_member" else here.do(BOB, how))
    assert {who: outlet.closed for who, outlet in watching.items()} == {ADA: None, BOB: NO_MEMBER}
    assert await refused(here.do(BOB, "members")) == ErrorCode.NOT_FOUND
    assert here.told[-1] == ("member_removed" if how == "remove_member" else "member_left")


@pytest.mark.parametrize("how", ["remove_member", "leave", "change_member"])
async def test_nobody_comes_back_by_an_invitation_of_who_may_not_invite_any_more(
    here: Workspace, how: str
) -> None:
    await here.with_bob(Role.OWNER)
    made = await here.do(BOB, "invite", body={"role": "owner"})
    stays = await here.code()
    who = BOB if how == "leave" else ADA
    await here.do(who, how, id=BOB, body={"role": "viewer"})
    assert await refused(here.joining.do("look", {"hash": hashed(made.code)})) == ErrorCode.NOT_FOUND
    assert await refused(here.accept(EVE, str(made.code))) == ErrorCode.NOT_FOUND
    await here.accept(EVE, stays)
    assert here.roles.get(EVE) == Role.MEMBER


async def test_a_token_neither_creates_joins_nor_leaves(here: Workspace) -> None:
    await here.with_bob()
    able = OWNER_RIGHTS - {Right.MANAGE}
    code = await here.code()
    token = caller(BOB, HERE, rights=able)
    assert await refused(here.operations.do("leave", {}, token)) == ErrorCode.FORBIDDEN
    asked = {"name": "x", "workspace": "x", "hash": hashed(code)}
    for operation in ("found", "accept"):
        work = here.joining.do(operation, asked, caller(EVE, rights=able))
        assert await refused(work) == ErrorCode.FORBIDDEN


async def test_one_new_person_is_let_in_by_it_and_told_again_the_same(here: Workspace) -> None:
    code = hashed(await here.code())

    async def lets_in(who: str) -> bool:
        return bool((await here.joining.do("lets_in", {"hash": code, "who": who}))["holds"])

    assert await lets_in("")
    assert [await lets_in(who) for who in (BOB, EVE, BOB, "")] == [True, False, True, False]
    # It still brings whoever holds it into the workspace.
    await here.join(BOB, "accept", hash=code)
    assert not await lets_in(BOB)


async def test_nobody_comes_while_it_is_to_be_deleted(here: Workspace) -> None:
    code = await here.code()
    await here.deletion.plan()
    assert await refused(here.accept(BOB, code)) == ErrorCode.BEING_DELETED
    assert (await here.do(ADA, "membership")).role == Role.OWNER
    await here.deletion.undo()
    await here.accept(BOB, code)


async def test_who_asks_is_told_what_they_are_and_owners_name_it(here: Workspace) -> None:
    await here.with_bob()
    shown = await here.do(ADA, "change_me", name="Crew 2")
    assert (shown.name, shown.role, shown.person_id) == ("Crew 2", "owner", ADA)
    shown = await here.do(BOB, "me")
    assert (shown.name, shown.role, shown.person_id) == ("Crew 2", "member", BOB)
    assert "Crew" not in repr(here.rig.recorded)


async def test_whose_account_is_deleted_goes_and_the_last_owner_has_to_hand_over(here: Workspace) -> None:
    going = Departures(here.rig.owner, here.deletion)
    assert await going.do("departure", ADA) == {"may": False, "name": "Crew"}
    with pytest.raises(BerthError) as caught:
        await going.do("depart", ADA)
    assert caught.value.code == ErrorCode.LAST_OWNER
    await here.with_bob()
    assert not (await going.do("departure", ADA))["may"]
    assert (await going.do("departure", BOB))["may"]
    await here.do(ADA, "change_member", id=BOB, body={"role": Role.OWNER})
    assert (await going.do("departure", ADA))["may"]
    for _ in range(2):
        await going.do("depart", ADA)
        assert here.roles == {BOB: Role.OWNER}
    assert here.told.count("member_left") == 1
    assert (await going.do("departure", EVE))["may"]


async def test_the_last_owner_of_what_is_being_deleted_may_go(here: Workspace) -> None:
    going = Departures(here.rig.owner, here.deletion)
    await here.deletion.plan()
    assert (await going.do("departure", ADA))["may"]
    await going.do("depart", ADA)
    assert here.roles == {}


async def test_a_member_says_what_they_are_called_whatever_their_role(here: Workspace) -> None:
    await here.with_bob(Role.VIEWER)
    await here.do(BOB, "name_oneself", name="Robert")
    assert {one.name for one in here.rig.owner.members.all()} == {ADA, "Robert"}
    assert await refused(here.do(EVE, "name_oneself", name="x")) == ErrorCode.NOT_FOUND
    token = caller(BOB, HERE, rights=frozenset({Right.READ}))
    assert await refused(here.operations.do("name_oneself", {"name": "x"}, token)) == ErrorCode.FORBIDDEN
