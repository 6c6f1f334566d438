"""A session's secret is renewed through a restart: the one before is good until the new one has been used."""

import asyncio
from pathlib import Path

from contracts.limits import SESSION_OVERLAP_SECONDS, SESSION_ROTATION_SECONDS
from local.stack import LocalStack
from tests.integration.faults import Faults
from tests.integration.sign_in.conftest import SETUP_CODE
from tests.integration.sign_in.guest import Guest


def held(guest: Guest) -> dict[str, str]:
    return dict(guest.client.cookies.items())


def hold(guest: Guest, cookies: dict[str, str]) -> None:
    guest.forget()
    guest.client.cookies.update(cookies)


async def test_a_session_is_renewed_through_a_restart(tmp_path: Path) -> None:
    settings = {"BERTH_SIGN_IN": "passkey", "BERTH_SETUP_CODE": SETUP_CODE}
    with LocalStack(tmp_path, vars=settings, faults=True) as stack, Guest(stack.url) as guest:
        faults = Faults(stack)
        await asyncio.to_thread(guest.sign_up, "Ada", SETUP_CODE)
        who, first = guest.person_id, held(guest)
        await faults.clock((SESSION_ROTATION_SECONDS + 1) * 1000)
        assert guest.person_id == who
        second = held(guest)
        assert set(second) == set(first)
        assert second != first

        await asyncio.to_thread(stack.kill_host)
        await asyncio.to_thread(stack.start_host)
        # Its clock is right again, and the answer with the new secret may have been lost.
        hold(guest, first)
        assert guest.person_id == who
        hold(guest, second)
        assert guest.person_id == who
        hold(guest, first)
        assert guest.person_id == who
        await faults.clock((SESSION_OVERLAP_SECONDS + 1) * 1000)
        hold(guest, first)
        guest.ask("GET", "/api/me", expect=401)
        hold(guest, second)
        assert guest.person_id == who
