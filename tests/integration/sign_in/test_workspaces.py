"""A workspace of several people in workerd: who comes by a link, what each may do, who is gone at once."""

import asyncio
import os
from typing import Any

import aiohttp

from durable_objects.shared.ids import new_person_id, new_workspace_id
from durable_objects.shared.secret import new_invitation_code
from local.stack import LocalStack
from tests.integration.sign_in.guest import Guest
from tests.integration.waiting import SECONDS


def path(owner_id: str, rest: str) -> str:
    return f"/api/owners/{owner_id}/{rest}"


def invited(owner: Guest, owner_id: str, role: str) -> str:
    made = owner.ask("POST", path(owner_id, "members/invitations"), {"role": role}, expect=201)
    return str(made["code"])


def roles(guest: Guest, owner_id: str) -> dict[str, str]:
    return {one["name"]: one["role"] for one in guest.ask("GET", path(owner_id, "members"))["items"]}


def owners(guest: Guest) -> dict[str, str]:
    return {one["name"]: one["role"] for one in guest.ask("GET", "/api/owners")["items"][1:]}


async def watched(guest: Guest, owner_id: str, thread_id: str, meanwhile: Any) -> int | None:
    """The code with which a socket of the guest's browser is closed by what happens meanwhile."""
    stream = f"/api/threads/{thread_id}/stream"
    ticket = guest.ask("POST", path(owner_id, "tickets"), {"path": stream}, expect=201)["ticket"]
    headers = {
        "origin": guest.origin,
        "cookie": "; ".join(f"{name}={value}" for name, value in guest.client.cookies.items()),
    }
    address = f"{guest.origin}{path(owner_id, f'threads/{thread_id}/stream')}?ticket={ticket}"
    async with (
        aiohttp.ClientSession() as browser,
        browser.ws_connect(address, headers=headers) as socket,
        asyncio.timeout(SECONDS),
    ):
        assert (await socket.receive_json())["type"] == "hello"
        await asyncio.to_thread(meanwhile)
        while (await socket.receive()).type == aiohttp.WSMsgType.TEXT:
            pass
        return socket.close_code


async def test_a_workspace_from_its_first_member_to_its_last(
    deployment: LocalStack, operator: Guest, guest: Guest
) -> None:
    crew = operator.ask("POST", "/api/owners", {"name": "Crew"}, expect=201)
    here = str(crew["id"])
    assert crew["role"] == "owner"
    assert owners(operator) == {"Crew": "owner"}
    bot = operator.ask("POST", path(here, "bots"), {"name": "Bot"}, expect=201)
    thread = operator.ask("POST", path(here, "threads"), {"bot_id": bot["id"]}, expect=201)
    assert operator.ask("GET", "/api/bots")["items"] == []

    # A stranger comes by the link, where nobody comes uninvited.
    code = invited(operator, here, "member")
    guest.sign_up("Bob", code)
    shown = guest.ask("POST", "/api/invitations/look", {"code": code})
    assert (shown["name"], shown["role"], shown["owner_id"]) == ("Crew", "member", here)
    guest.ask("GET", path(here, "threads"), expect=404)
    assert guest.ask("POST", "/api/invitations/accept", {"code": code})["role"] == "member"
    assert guest.ask("POST", "/api/invitations/accept", {"code": code})["role"] == "member"

    with Guest(deployment.url) as viewer, Guest(deployment.url) as stranger:
        # A link that was used lets nobody in and brings nobody else there; nor does one that was taken back.
        answer = stranger.ask(
            "POST", "/api/sign-up/passkey/options", {"name": "Eve", "code": code}, expect=403
        )
        assert answer["code"] == "forbidden"
        viewing = invited(operator, here, "viewer")
        viewer.sign_up("Cleo", viewing)
        viewer.ask("POST", "/api/invitations/accept", {"code": code}, expect=404)
        back = invited(operator, here, "owner")
        waiting = operator.ask("GET", path(here, "members/invitations"))["items"]
        assert [one["role"] for one in waiting] == ["owner", "viewer"]
        operator.ask("DELETE", path(here, f"members/invitations/{waiting[0]['id']}"), expect=204)
        viewer.ask("POST", "/api/invitations/accept", {"code": back}, expect=404)
        assert owners(viewer) == {}
        viewer.ask("POST", "/api/invitations/accept", {"code": viewing})
        assert roles(operator, here) == {"Ada": "owner", "Bob": "member", "Cleo": "viewer"}

        # Each does what its role gives, and is told one thing of the rest.
        said = {"client_id": "c" * 8, "text": "hello", "upload_ids": []}
        for who, expect in ((viewer, 403), (guest, 202)):
            assert [one["id"] for one in who.ask("GET", path(here, "threads"))["items"]] == [thread["id"]]
            who.ask("POST", path(here, f"threads/{thread['id']}/messages"), said, expect=expect)
            for method, rest, body in (
                ("POST", "bots", {"name": "x"}),
                ("POST", "approvals/int_x/decision", {"digest": "0" * 64, "approve": [0]}),
                ("POST", "members/invitations", {}),
                ("PATCH", f"members/{who.person_id}", {"role": "owner"}),
                ("DELETE", f"members/{operator.person_id}", None),
                ("PATCH", "me", {"name": "Mine"}),
                ("POST", "me/delete", {"confirm": here}),
            ):
                assert who.ask(method, path(here, rest), body, expect=403)["code"] == "forbidden", rest
            me = who.ask("GET", path(here, "me"))
            assert (me["name"], me["person_id"]) == ("Crew", who.person_id)
        assert operator.ask("POST", path(here, "members/leave"), expect=409)["code"] == "last_owner"

        # A role counts at once, and whoever is removed is at once gone.
        operator.ask("PATCH", path(here, f"members/{viewer.person_id}"), {"role": "member"})
        viewer.ask(
            "POST", path(here, f"threads/{thread['id']}/messages"), {**said, "client_id": "d" * 8}, expect=202
        )
        bob = guest.person_id
        closed = await watched(
            guest,
            here,
            thread["id"],
            lambda: operator.ask("DELETE", path(here, f"members/{bob}"), expect=204),
        )
        assert closed == 4403
        guest.ask("GET", path(here, "threads"), expect=404)
        # The guest's own list has it still: it is the workspace that says no.
        stream = {"path": f"/api/threads/{thread['id']}/stream"}
        guest.ask("POST", path(here, "tickets"), stream, expect=404)
        assert owners(guest) == {}
        viewer.ask("POST", path(here, "members/leave"), expect=204)
        assert owners(viewer) == {}

    kinds = [one["kind"] for one in operator.ask("GET", path(here, "audit"))["items"]]
    assert [kind for kind in reversed(kinds) if kind.startswith(("member", "invitation", "workspace"))] == [
        "workspace_created", "invitation_made", "member_joined", "invitation_made", "invitation_made",
        "invitation_taken_back", "member_joined", "member_changed", "member_removed", "member_left",
    ]  # fmt: skip
    operator.ask("POST", path(here, "me/delete"), {"confirm": here, "at_once": True})
    operator.ask("GET", path(here, "threads"), expect=404)


def test_what_does_not_exist_is_not_made_by_asking_for_it(deployment: LocalStack, operator: Guest) -> None:
    def kept() -> set[str]:
        return {str(file) for file in (deployment.state / "worker/do").rglob("*.sqlite")}

    nothing = {"path": "/api/threads/thr_x/stream"}
    operator.ask("GET", "/api/computer")
    before = kept()
    assert before
    for owner_id in (new_workspace_id(os.urandom), new_person_id(os.urandom), "owner"):
        for method, rest, body in (
            ("GET", "threads", None), ("GET", "computer", None), ("POST", "tickets", nothing),
            ("POST", "bots", {"name": "Bot"}), ("GET", "audit", None),
            ("POST", "me/delete", {"confirm": owner_id}),
        ):  # fmt: skip
            assert operator.ask(method, path(owner_id, rest), body, expect=404)["code"] == "not_found"
    code = {"code": new_invitation_code(new_workspace_id(os.urandom), os.urandom)}
    operator.ask("POST", "/api/invitations/look", code, expect=404)
    operator.ask("POST", "/api/invitations/accept", code, expect=404)
    with Guest(deployment.url) as stranger:
        stranger.ask("POST", "/api/sign-up/passkey/options", {"name": "Eve", **code}, expect=403)
    assert owners(operator) == {}
    assert kept() == before
