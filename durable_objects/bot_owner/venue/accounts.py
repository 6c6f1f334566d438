"""Accounts at the exchange: an address to look at, and where there is one the key of an agent that trades.

A key is checked when it comes in (whose agent it is, and until when), sealed like a model's key, opened for
one signature, and never given out. An account without one is watch-only. What may interleave: anything, at
every await; so what is signed for is read again after the last of them.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from contracts.errors import BerthError, ErrorCode
from contracts.limits import TRADING_ACCOUNTS_MAX
from contracts.reasons import because
from contracts.trading import TradingAccount, TradingAccountConnect
from durable_objects.bot_owner.key_safe import KeySafe
from durable_objects.bot_owner.venue import exchange as asked
from durable_objects.bot_owner.venue.exchange import Exchange
from durable_objects.bot_owner.venue.refusals import WORDS, Kept, refused
from durable_objects.bot_owner.venue.shapes import AgentRole
from durable_objects.bot_owner.venue.signing import Agent, Curve, Signature, SigningError, sign_action
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

CurveSource = Callable[[], Awaitable[Curve]]
# Of secp256k1: keys are over zero and under it.
ORDER = 0xFFFFFFFF_FFFFFFFF_FFFFFFFF_FFFFFFFE_BAAEDCE6_AF48A03B_BFD25E8C_D0364141


class TradingAccounts:
    def __init__(
        self,
        context: Context,
        owner_id: str,
        *,
        exchange: Exchange,
        curve: CurveSource,
        safe: KeySafe,
        sandboxed: bool,
    ) -> None:
        self._context = context
        self._sql = context.sql
        self._owner_id = owner_id
        self._exchange = exchange
        self._curve = curve
        self._safe = safe
        self._sandboxed = sandboxed

    def all(self) -> list[TradingAccount]:
        """The first one first."""
        return [_shown(row) for row in self._sql.execute("SELECT * FROM trading_accounts ORDER BY n")]

    def get(self, account_id: str) -> TradingAccount:
        for one in self.all():
            if one.id == account_id:
                return one
        raise because(ErrorCode.NOT_FOUND, "account_gone")

    def addresses(self) -> list[str]:
        """For the computer: of the network that it is told."""
        return [one.address for one in self.all() if one.network == self._exchange.network]

    def refusal(self, network: str, address: str, now_ms: int) -> Kept:
        """Why nothing can be signed for an account; empty where it can."""
        row = self._row(network, address)
        if row is None:
            return "not_connected"
        if row["agent_address"] is None:
            return "watch_only"
        until = row["agent_expires_ms"]
        return "agent_expired" if until is not None and now_ms >= until else ""

    def signer(self, network: str, address: str) -> str:
        """Whose nonces count: of the agent, under which one counter holds however often it is connected."""
        row = self._row(network, address)
        return str((row and row["agent_address"]) or address)

    async def checked(self, wanted: TradingAccountConnect) -> Row:
        """What to store of an account that the venue knows as it was given. Raises `invalid_request`, with
        the reason in its details."""
        address = wanted.address.lower()
        self._check_room(address)
        row: Row = {"address": address, "agent_address": None, "agent_key": None, "agent_expires_ms": None}
        if wanted.agent_key is None:
            await self._check_account(address, trades=False)
            return row
        if not self._sandboxed:
            raise because(ErrorCode.FORBIDDEN, "agent_key_no_sandbox")
        key = wanted.agent_key.get_secret_value().lower().removeprefix("0x")
        agent = await self._agent_address(key)
        if agent == address:
            raise _refused(
                "account_key",
                "This is the key of the account itself, which could move its money away. It was not kept. "
                "Make an agent (API wallet) in the venue's app and give that one's key.",
            )
        await self._check_account(address, trades=True)
        await self._check_agent(agent, address)
        row["agent_address"] = agent
        row["agent_expires_ms"] = await self._agent_end(agent, address)
        row["agent_key"] = await self._safe.seal(key, self._about(self._exchange.network, address, agent))
        return row

    def keep(self, row: Row) -> TradingAccount:
        """Store what was checked, inside a write. An account that is there already keeps its id."""
        network = self._exchange.network
        self._check_room(row["address"])
        known = self._row(network, row["address"])
        account_id = known["id"] if known else self._context.new_id("acc")
        connected = known["connected_ms"] if known else self._context.now_ms()
        agent = (row["agent_address"], row["agent_key"], row["agent_expires_ms"])
        if known:
            self._sql.run(
                "UPDATE trading_accounts SET agent_address = ?, agent_key = ?, agent_expires_ms = ?"
                " WHERE id = ?",
                *agent,
                account_id,
            )
        else:
            self._sql.run(
                "INSERT INTO trading_accounts (id, network, address, connected_ms, agent_address, agent_key,"
                " agent_expires_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
                account_id,
                network,
                row["address"],
                connected,
                *agent,
            )
        return self.get(account_id)

    def remove(self, account_id: str) -> None:
        """Forget an account and its key, inside a write. Its nonces stay: the key may come back."""
        self._sql.run("DELETE FROM trading_accounts WHERE id = ?", account_id)

    async def sign(
        self,
        network: str,
        address: str,
        action: Mapping[str, Any],
        nonce: int,
        expires_ms: int,
        check: Callable[[], None],
    ) -> Signature:
        """Raises `forbidden` where this account's agent does not sign this, and whatever `check` raises: it
        is asked behind the last await before the signature."""
        curve = await self._curve()
        row = self._signing_row(network, address)
        try:
            key = await self._safe.open(row["agent_key"], self._about(network, address, row["agent_address"]))
        except BerthError:
            raise refused("key_unreadable") from None
        if self._signing_row(network, address) != row:
            raise refused("account_changed")
        check()
        own: Any = network
        agent = Agent(bytes.fromhex(key), row["agent_address"], own, row["agent_expires_ms"])
        try:
            return sign_action(
                curve,
                agent,
                action,
                network=self._exchange.network,
                nonce=nonce,
                expires_ms=expires_ms,
                now_ms=self._context.now_ms(),
            )
        except SigningError as error:
            raise refused("not_signed", f"This is not signed: {error}.") from error

    async def seal_anew(self) -> None:
        """Seal under the newest key-encryption key what is not; may be broken off anywhere."""
        if not self._safe.ready:
            return
        for row in self._sql.execute("SELECT * FROM trading_accounts WHERE agent_key IS NOT NULL"):
            if self._safe.is_current(row["agent_key"]):
                continue
            about = self._about(row["network"], row["address"], row["agent_address"])
            try:
                sealed = await self._safe.seal(await self._safe.open(row["agent_key"], about), about)
            except BerthError:
                continue  # it cannot be read: its owner is told when it is used
            # Only where nobody has changed it meanwhile.
            self._sql.run(
                "UPDATE trading_accounts SET agent_key = ? WHERE id = ? AND agent_key = ?",
                sealed,
                row["id"],
                row["agent_key"],
            )

    def _row(self, network: str, address: str) -> Row | None:
        rows = self._sql.execute(
            "SELECT * FROM trading_accounts WHERE network = ? AND address = ?", network, address
        )
        return rows[0] if rows else None

    def _signing_row(self, network: str, address: str) -> Row:
        refusal = self.refusal(network, address, self._context.now_ms())
        row = self._row(network, address)
        if refusal or row is None:
            raise refused(refusal or "not_connected")
        return row

    def _check_room(self, address: str) -> None:
        known = self.all()
        here = any(one.address == address and one.network == self._exchange.network for one in known)
        if not here and len(known) >= TRADING_ACCOUNTS_MAX:
            raise _refused("too_many", f"{TRADING_ACCOUNTS_MAX} accounts are the most. Remove one first.")

    async def _agent_address(self, key: str) -> str:
        if not 0 < int(key, 16) < ORDER:
            raise _refused("bad_key", "This is no key: no address belongs to it.")
        curve = await self._curve()
        return f"0x{curve.address(bytes.fromhex(key)).hex()}"

    async def _check_account(self, address: str, *, trades: bool) -> None:
        role = (await self._exchange.read(asked.ROLE, needed=True, user=address)).value
        if role.role == "missing":
            raise _refused(
                "unknown_address",
                f"The venue knows no such account on {self._exchange.network}. Is it of the other network?",
            )
        if role.role == "agent":
            raise _refused("agent_address", "This is the address of an agent. Give that of its account.")
        if trades and role.role != "user":
            raise _refused(
                "sub_account", "Orders of sub-accounts and vaults are not offered. It can be watched only."
            )

    async def _check_agent(self, agent: str, address: str) -> None:
        role = (await self._exchange.read(asked.ROLE, needed=True, user=agent)).value
        if not isinstance(role, AgentRole):
            if role.role == "missing":
                raise _refused(
                    "unknown_agent",
                    f"The venue knows no agent with this key on {self._exchange.network}. It may be of the "
                    "other network, or have been removed or expired.",
                )
            raise _refused(
                "account_key", "This is the key of an account and not of an agent. It was not kept."
            )
        if role.data.user != address:
            raise _refused("other_account", "This is the key of an agent of another account.")

    async def _agent_end(self, agent: str, address: str) -> int | None:
        """Until when the agent may trade; an agent without a name is in no list and has no end."""
        named = (await self._exchange.read(asked.AGENTS, needed=True, user=address)).value
        until = next((one.validUntil for one in named if one.address == agent), None)
        if until is not None and self._context.now_ms() >= until:
            raise _refused("agent_expired", WORDS["agent_expired"])
        return until

    def _about(self, network: str, address: str, agent: str) -> str:
        return f"{self._owner_id}\ntrading\n{network}\n{address}\n{agent}"


def _shown(row: Row) -> TradingAccount:
    return TradingAccount(
        id=row["id"],
        network=row["network"],
        address=row["address"],
        agent_address=row["agent_address"],
        agent_expires_ms=row["agent_expires_ms"],
        watch_only=row["agent_address"] is None,
        connected_ms=row["connected_ms"],
    )


def _refused(reason: str, words: str) -> BerthError:
    return BerthError(ErrorCode.INVALID_REQUEST, words, details={"reason": reason})
