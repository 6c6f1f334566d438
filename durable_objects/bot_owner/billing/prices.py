"""What things cost, in whole micro-dollars.

The price of running time is the difference of two readings of one meter that goes on for ever: whatever
pieces a time is cut into, they cost together what it costs whole, to the last micro-dollar.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from contracts.allowance import ModelPrice, PriceTable
from contracts.limits import ALLOWANCE_MICRO_A_MONTH, COMPUTER_MICRO_AN_HOUR
from contracts.records import Usage
from durable_objects.shared.money import MICRO, amount_setting, micro_of, named

HOUR_MS = 3_600_000
ANY_MODEL = "*"


@dataclass(frozen=True)
class Prices:
    computer_micro_an_hour: int = COMPUTER_MICRO_AN_HOUR
    monthly_micro: int = ALLOWANCE_MICRO_A_MONTH
    models: Mapping[tuple[str, str], ModelPrice] = field(default_factory=dict)
    """By (provider, model)."""

    def table(self) -> PriceTable:
        return PriceTable(
            computer_micro_an_hour=self.computer_micro_an_hour, models=list(self.models.values())
        )

    def computer(self, from_ms: int, to_ms: int) -> int:
        """What a machine costs that runs from one time to another."""
        price = self.computer_micro_an_hour
        return price * to_ms // HOUR_MS - price * from_ms // HOUR_MS

    def model(self, provider: str, model: str, usage: Usage) -> int:
        """What an answer costs; nothing where there is no price for its model."""
        price = self.models.get((provider, model)) or self.models.get((provider, ANY_MODEL))
        if price is None:
            return 0
        plain = max(0, usage.input - usage.cached - usage.cache_written)
        parts = (
            (plain, price.input),
            (usage.cached, price.cached),
            (usage.cache_written, price.cache_written),
            (usage.output, price.output),
        )
        exact = sum((tokens * Decimal(str(rate)) for tokens, rate in parts), Decimal(0))
        return int(exact.quantize(Decimal(1), ROUND_HALF_UP))


def models_of(text: str) -> dict[tuple[str, str], ModelPrice]:
    """Read `{"<provider>": {"<model or *>": {"input", "output", "cached"?, "cache_written"?}}}`, in dollars a
    million tokens. What comes from a cache or goes into one costs as other input where it has no price.

    Raises ValueError.
    """
    found = {}
    for provider, models in _object(json.loads(text or "{}")).items():
        for model, given in _object(models).items():
            rates = {name: _rate(value) for name, value in _object(given).items()}
            if unknown := set(rates) - {"input", "output", "cached", "cache_written"}:
                raise ValueError(f"a price of {model!r} has no {sorted(unknown)}")
            if missing := {"input", "output"} - set(rates):
                raise ValueError(f"a price of {model!r} lacks {sorted(missing)}")
            rest = {"cached": rates["input"], "cache_written": rates["input"]}
            found[provider, model] = ModelPrice(provider=provider, model=model, **{**rest, **rates})
    return found


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ValueError("prices of models are objects in objects")  # noqa: TRY004 - it is text that is wrong
    return value


def _rate(value: object) -> float:
    rate = micro_of(str(value)) / MICRO
    if rate > 1_000_000:
        raise ValueError(f"not a price of a million tokens: {value!r}")
    return rate


def prices_of(told: Callable[[str], str]) -> Prices:
    """The deployment's prices; `told` gives a variable's text. Raises ValueError, naming the variable."""
    return Prices(
        computer_micro_an_hour=amount_setting(told, "BERTH_COMPUTER_PRICE_AN_HOUR", COMPUTER_MICRO_AN_HOUR),
        monthly_micro=amount_setting(told, "BERTH_ALLOWANCE_A_MONTH", ALLOWANCE_MICRO_A_MONTH),
        models=named("BERTH_MODEL_PRICES", lambda: models_of(told("BERTH_MODEL_PRICES"))),
    )
