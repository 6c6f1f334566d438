"""A person deletes their account in workerd: who hands over first, what is gone, and deaths in between."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from contracts.archive import ArchiveState
from local.stack import LocalStack
from tests.integration.faults import Faults
from tests.integration.sign_in.conftest import SETUP_CODE
from tests.integration.sign_in.guest import Guest
from tests.integration.sign_in.test_workspaces import invited, owners, path, roles
from tests.integration.waiting import until


def leaving(guest: Guest, *, expect: int = 200, **more: Any) -> Any:
    body = {"confirm": guest.person_id, "account": True, "at_once": True, **more}
    return guest.ask("POST", "/api/me/delete", body, expect=expect)


def came(operator: Guest, guest: Guest, name: str) -> str:
    guest.sign_up(name, operator.ask("POST", "/api/operator/invitations", expect=201)["code"])
    return guest.person_id


def by_token(guest: Guest, token: str) -> int:
    headers = {"authorization": f"Bearer {token}", "cookie": ""}
    return int(guest.client.get("/api/me", headers=headers).status_code)


async def test_a_person_hands_over_and_is_gone(deployment: LocalStack, operator: Guest, guest: Guest) -> None:
    who = came(operator, guest, "Grace")
    codes = guest.ask("POST", "/api/recovery-codes", expect=201)["codes"]
    token = guest.ask("POST", "/api/tokens", {"name": "t", "scopes": ["read"]}, expect=201)["token"]
    assert by_token(guest, token) == 200
    here = str(guest.ask("POST", "/api/owners", {"name": "Grace's"}, expect=201)["id"])
    operator.ask("POST", "/api/invitations/accept", {"code": invited(guest, here, "member")})

    assert guest.ask("PATCH", "/api/ways-in", {"name": "Grace H"})["name"] == "Grace H"
    assert roles(guest, here) == {"Grace H": "owner", "Ada": "member"}

    # Nobody else is an owner there, so nothing happens.
    for at_once in (True, False):
        refused = leaving(guest, expect=409, at_once=at_once)
        assert (refused["code"], refused["details"]["workspaces"]) == ("last_owner", ["Grace's"])
        assert refused["details"]["reason"] == "last_owner_of"
    assert guest.ask("GET", "/api/me")["deletion_ms"] is None
    guest.ask("PATCH", path(here, f"members/{operator.person_id}"), {"role": "owner"})

    # What is planned is taken back, and all is as it was.
    assert leaving(guest, at_once=False)["at_ms"]
    me = guest.ask("GET", "/api/me")
    assert (bool(me["deletion_ms"]), me["deletion_takes_account"]) == (True, True)
    assert not guest.ask("POST", "/api/me/undelete")["deletion_takes_account"]
    assert owners(guest) == {"Grace's": "owner"}

    # The archive has the person.
    guest.ask("POST", "/api/me/archive", expect=202)

    async def is_ready() -> bool:
        found = await asyncio.to_thread(guest.ask, "GET", "/api/me/archive")
        return bool(found["state"] == ArchiveState.READY)

    await until("the archive", is_ready)
    told = guest.client.get("/api/me/archive/content").text
    assert '"name": "Grace H"' in told
    assert "berth_t_" not in told
    assert codes[0] not in told

    assert leaving(guest)["finished"]
    guest.ask("GET", "/api/me", expect=401)
    assert by_token(guest, token) == 401
    guest.sign_in(expect=401)
    guest.ask("POST", "/api/sign-in/recovery", {"code": codes[0]}, expect=401)
    assert roles(operator, here) == {"Ada": "owner"}
    entries = operator.ask("GET", f"/api/operator/audit?owner_id={who}")["items"]
    kinds = [one["kind"] for one in entries]
    assert kinds.count("account_deleted") == kinds.count("owner_deleted") == 1
    assert "person_renamed" in kinds
    kinds = [one["kind"] for one in operator.ask("GET", path(here, "audit"))["items"]]
    assert kinds[0] == "member_left"
    operator.ask("POST", path(here, "me/delete"), {"confirm": here, "at_once": True})


def test_after_everything_is_deleted_one_signs_in_again_and_begins_anew(
    operator: Guest, guest: Guest
) -> None:
    who = came(operator, guest, "Hedy")
    token = guest.ask("POST", "/api/tokens", {"name": "t", "scopes": ["read"]}, expect=201)["token"]
    assert guest.ask("POST", "/api/me/delete", {"confirm": who, "at_once": True})["finished"]
    guest.ask("GET", "/api/me", expect=401)
    assert by_token(guest, token) == 401
    guest.sign_in()
    assert guest.person_id == who
    assert guest.ask("GET", "/api/tokens")["items"] == []


DEATHS = (
    ("kill_after", "BotOwner", "DELETE FROM members"),
    ("kill_before", "Platform", "DELETE FROM people"),
    ("kill_after", "Person", "INSERT INTO gone"),
    ("kill_before", "BotOwner", "deleteAll"),
)


async def test_a_person_is_gone_wherever_the_deletion_dies(tmp_path: Path) -> None:
    settings = {"BERTH_SIGN_IN": "passkey", "BERTH_SETUP_CODE": SETUP_CODE}
    with LocalStack(tmp_path, vars=settings, faults=True) as mortal, Guest(mortal.url) as operator:
        faults = Faults(mortal)
        await asyncio.to_thread(operator.sign_up, "Ada", SETUP_CODE)
        here = str(operator.ask("POST", "/api/owners", {"name": "Crew"}, expect=201)["id"])
        for times, (action, cls, detail) in enumerate(DEATHS, start=1):
            with Guest(mortal.url) as guest:
                who = came(operator, guest, "Grace")
                guest.ask("POST", "/api/invitations/accept", {"code": invited(operator, here, "member")})
                await faults.arm("write", action, cls=cls, detail=detail)
                with suppress(httpx.HTTPError, AssertionError):
                    await asyncio.to_thread(leaving, guest)
                await faults.restarted(times)

                async def is_gone(who: str = who) -> bool:
                    entries = operator.ask("GET", f"/api/operator/audit?owner_id={who}")["items"]
                    return "owner_deleted" in [one["kind"] for one in entries]

                await until(f"the end after {detail}", is_gone)
                assert roles(operator, here) == {"Ada": "owner"}
                guest.ask("GET", "/api/me", expect=401)
                guest.sign_in(expect=401)
                entries = operator.ask("GET", f"/api/operator/audit?owner_id={who}")["items"]
                kinds = [one["kind"] for one in entries]
                assert kinds.count("account_deleted") == kinds.count("owner_deletion_began") == 1
