"""What every core is given by its shell: the SQL, the clock and the source of chance."""

from collections.abc import Callable
from dataclasses import dataclass

from durable_objects.shared.ids import Entropy, new_id
from durable_objects.shared.sql import Sql


@dataclass(frozen=True)
class Context:
    sql: Sql
    now_ms: Callable[[], int]
    entropy: Entropy

    def new_id(self, kind: str) -> str:
        return new_id(kind, self.now_ms(), self.entropy)
