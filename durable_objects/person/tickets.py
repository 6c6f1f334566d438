"""Tickets for sockets: good once, for half a minute, for one credential, one owner and one path.

A browser sends its cookie with every socket, whatever page opens it; a ticket only a page of this origin
can ask for.
"""

from contracts.limits import TICKET_SECONDS, TICKETS_MAX
from contracts.people import Caller, Ticket
from durable_objects.shared.context import Context
from durable_objects.shared.secret import chance, hashed


class Tickets:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._sql = context.sql

    def give(self, caller: Caller, path: str) -> Ticket:
        """Where too many wait to be used, the oldest is good for nothing any more."""
        ticket, now_ms = chance(self._context.entropy), self._context.now_ms()

        def write() -> None:
            self._sql.run("DELETE FROM tickets WHERE until_ms <= ?", now_ms)
            self._sql.run(
                "DELETE FROM tickets WHERE hash NOT IN"
                " (SELECT hash FROM tickets ORDER BY until_ms DESC LIMIT ?)",
                TICKETS_MAX - 1,
            )
            self._sql.run(
                "INSERT INTO tickets (hash, credential_id, owner_id, path, until_ms) VALUES (?, ?, ?, ?, ?)",
                hashed(ticket),
                caller.credential_id,
                caller.owner_id,
                path,
                now_ms + TICKET_SECONDS * 1000,
            )

        self._sql.transaction(write)
        return Ticket(ticket=ticket, expires_in_s=TICKET_SECONDS)

    def take(self, caller: Caller, path: str, ticket: str) -> bool:
        """Whether it is good for this; it is used up by being looked at, for whatever it was."""
        rows = self._sql.execute("DELETE FROM tickets WHERE hash = ? RETURNING *", hashed(ticket))
        return bool(rows) and (
            rows[0]["until_ms"] > self._context.now_ms()
            and rows[0]["credential_id"] == caller.credential_id
            and rows[0]["owner_id"] == caller.owner_id
            and rows[0]["path"] == path
        )
