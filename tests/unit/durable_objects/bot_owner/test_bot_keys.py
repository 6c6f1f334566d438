"""The keys of bots: what stays, what goes, and that nobody reads them but a question."""

import pytest
from pydantic import SecretStr, ValidationError

from contracts.api import BotChange, BotCreate, ModelChoice
from contracts.errors import BerthError, ErrorCode
from contracts.limits import KEY_CHARACTERS_MAX, ROUNDS_A_RUN, ROUNDS_A_RUN_MAX
from contracts.records import Bot
from contracts.states import Effort, Provider
from durable_objects.bot_owner.bot_keys import BotKeys
from durable_objects.bot_owner.key_safe import KeyRing, KeySafe
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.rig import AesGcm, OwnerRig

KEY = "sk-very-secret"
HERE, THERE = "https://a.example/v1", "https://b.example/v1"


def choice(key: str | None = KEY, base_url: str = HERE, provider: Provider = Provider.OPENAI) -> ModelChoice:
    secret = None if key is None else SecretStr(key)
    return ModelChoice(provider=provider, base_url=base_url, model="m", api_key=secret)


async def made(rig: OwnerRig, wanted: ModelChoice) -> Bot:
    bot_id = rig.owner.catalog.new_bot_id()
    sealed = await rig.owner.keys.sealed(bot_id, wanted)
    return rig.owner.catalog.create_bot(BotCreate(name="B", model=wanted), sealed, bot_id)


async def changed(rig: OwnerRig, bot: Bot, wanted: ModelChoice) -> Bot:
    sealed = await rig.owner.keys.sealed(bot.id, wanted)
    return rig.owner.catalog.change_bot(bot.id, BotChange(model=wanted), sealed)


async def key_of(rig: OwnerRig, bot: Bot) -> str:
    row = rig.owner.catalog.bot_row(bot.id)
    return await rig.owner.keys.key_of(row) if row["api_key"] else ""


async def test_a_key_is_stored_sealed_and_opened_for_its_bot(rig: OwnerRig) -> None:
    bot = await made(rig, choice())
    assert bot.model.has_key
    assert KEY not in str(rig.context.sql.execute("SELECT * FROM bots"))
    assert await key_of(rig, bot) == KEY


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        (choice(None), KEY),
        (choice("another-1"), "another-1"),
        (choice(""), ""),
        (choice(None, THERE), ""),
        (choice(None, provider=Provider.ANTHROPIC), ""),
        (choice("another-1", THERE), "another-1"),
        (ModelChoice(), ""),
        (ModelChoice(provider=Provider.WORKERS_AI, model="m"), ""),
    ],
)
async def test_a_key_stays_for_the_same_provider_and_address_only(
    rig: OwnerRig, wanted: ModelChoice, left: str
) -> None:
    bot = await changed(rig, await made(rig, choice()), wanted)
    assert (bot.model.has_key, await key_of(rig, bot)) == (bool(left), left)


async def test_a_key_does_not_come_back_with_its_address(rig: OwnerRig) -> None:
    bot = await made(rig, choice())
    await changed(rig, bot, choice(None, THERE))
    assert not (await changed(rig, bot, choice(None))).model.has_key


async def test_a_row_that_takes_another_address_cannot_use_the_key(rig: OwnerRig) -> None:
    bot = await made(rig, choice())
    rig.context.sql.run("UPDATE bots SET base_url = ? WHERE id = ?", THERE, bot.id)
    with pytest.raises(BerthError, match="Give it again"):
        await key_of(rig, bot)


async def test_without_a_sandbox_no_key_is_taken(context: Context) -> None:
    keys = BotKeys(
        context.sql, KeySafe(KeyRing({"k": b"k" * 32}), AesGcm(), context.entropy), "o", sandboxed=False
    )
    assert not keys.taken
    with pytest.raises(BerthError) as caught:
        await keys.sealed("bot_1", choice())
    assert caught.value.code == ErrorCode.FORBIDDEN
    assert await keys.sealed("bot_1", choice(None)) is None


async def test_keys_are_sealed_anew_under_the_newest(rig: OwnerRig) -> None:
    old, plain, lost = [await made(rig, choice()) for _ in range(3)]
    sql = rig.context.sql
    sql.run("UPDATE bots SET api_key = ? WHERE id = ?", "sk-from-before", plain.id)
    sql.run("UPDATE bots SET api_key = 'v1.gone.AAAA.AAAA' WHERE id = ?", lost.id)
    both = KeyRing({"k2": b"n" * 32, "k1": b"k" * 32})
    keys = BotKeys(sql, KeySafe(both, AesGcm(), rig.context.entropy), "o1", sandboxed=True)
    await keys.seal_anew()
    rows = {row["id"]: row for row in sql.execute("SELECT * FROM bots")}
    assert [rows[bot.id]["api_key"].split(".")[1] for bot in (old, plain, lost)] == ["k2", "k2", "gone"]
    assert await keys.key_of(rows[old.id]) == KEY
    assert await keys.key_of(rows[plain.id]) == "sk-from-before"
    before = [row["api_key"] for row in rows.values()]
    await keys.seal_anew()
    assert [row["api_key"] for row in sql.execute("SELECT * FROM bots")] == before


async def test_a_key_that_is_changed_meanwhile_is_not_overwritten(rig: OwnerRig) -> None:
    bot = await made(rig, choice())

    class Slow(AesGcm):
        async def seal(self, key: bytes, nonce: bytes, text: bytes, about: bytes) -> bytes:
            rig.context.sql.run("UPDATE bots SET api_key = 'new' WHERE id = ?", bot.id)
            return await super().seal(key, nonce, text, about)

    ring = KeyRing({"k2": b"n" * 32, "k1": b"k" * 32})
    await BotKeys(
        rig.context.sql, KeySafe(ring, Slow(), rig.context.entropy), "o1", sandboxed=True
    ).seal_anew()
    assert rig.owner.catalog.bot_row(bot.id)["api_key"] == "new"


async def test_a_deleted_bot_keeps_no_key(rig: OwnerRig) -> None:
    bot = await made(rig, choice())
    rig.owner.catalog.delete_bot(bot.id)
    assert rig.context.sql.execute("SELECT api_key FROM bots WHERE id = ?", bot.id) == [{"api_key": ""}]


def test_a_key_is_what_a_header_can_carry_and_is_not_told_back() -> None:
    assert ModelChoice(api_key=SecretStr("k" * KEY_CHARACTERS_MAX)).api_key is not None
    for wrong in ("k" * (KEY_CHARACTERS_MAX + 1), "sk secret", "sk\nsecret", "schlüssel"):
        with pytest.raises(ValidationError) as caught:
            ModelChoice.model_validate({"api_key": wrong})
        assert wrong[:9] not in str(caught.value)


def test_settings_of_a_model_are_kept_where_its_provider_has_use_for_them(rig: OwnerRig) -> None:
    wanted = ModelChoice(provider=Provider.ANTHROPIC, model="m", effort=Effort.HIGH, temperature=0.5)
    bot = rig.owner.catalog.create_bot(BotCreate(name="B", model=wanted))
    assert (bot.model.effort, bot.model.temperature, bot.model.base_url) == (Effort.HIGH, 0.5, "")
    manual = rig.owner.catalog.change_bot(bot.id, BotChange(model=ModelChoice(effort=Effort.LOW, model="x")))
    assert (manual.model.provider, manual.model.effort, manual.model.model) == (Provider.MANUAL, None, "")
    renamed = rig.owner.catalog.change_bot(bot.id, BotChange(name="C", rounds=3))
    assert (renamed.name, renamed.rounds, renamed.model) == ("C", 3, manual.model)
    assert rig.owner.catalog.change_bot(bot.id, BotChange()) == renamed


@pytest.mark.parametrize(
    "wanted",
    [
        ModelChoice(provider=Provider.OPENAI),
        ModelChoice(provider=Provider.WORKERS_AI),
        ModelChoice(provider=Provider.SCRIPTED),
        ModelChoice(provider=Provider.ANTHROPIC, model="m", temperature=1.1),
    ],
)
def test_settings_that_cannot_work_are_refused(rig: OwnerRig, wanted: ModelChoice) -> None:
    with pytest.raises(BerthError) as caught:
        rig.owner.catalog.create_bot(BotCreate(name="B", model=wanted))
    assert caught.value.code == ErrorCode.INVALID_REQUEST


def test_rounds_and_temperature_have_their_limits() -> None:
    assert BotCreate(name="B").rounds == ROUNDS_A_RUN
    assert BotCreate(name="B", rounds=ROUNDS_A_RUN_MAX).rounds == ROUNDS_A_RUN_MAX
    for rounds in (0, ROUNDS_A_RUN_MAX + 1):
        with pytest.raises(ValidationError):
            BotCreate(name="B", rounds=rounds)
    assert ModelChoice(temperature=2).temperature == 2
    for temperature in (-0.1, 2.1, float("nan"), float("inf")):
        with pytest.raises(ValidationError):
            ModelChoice(temperature=temperature)
