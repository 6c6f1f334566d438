"""The machine's row: read once, written when it changes.

That the machine is in use (`until_ms` is None) is not written: it holds for as long as this object
lives, and a reborn one sees what is unfinished.
"""

import json
from dataclasses import fields, replace

from contracts.records import Restored
from contracts.states import ComputerState
from durable_objects.bot_computer.lifecycle import Machine
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Value

COLUMNS = tuple(field.name for field in fields(Machine))


class MachineStore:
    def __init__(self, context: Context) -> None:
        self._sql = context.sql
        self.machine = self._stored = self._read()

    def _read(self) -> Machine:
        rows = self._sql.execute("SELECT * FROM machine")
        if not rows:
            return Machine()
        found = {name: rows[0][name] for name in COLUMNS}
        untold = tuple(Restored.model_validate(one) for one in json.loads(found["untold"]))
        return Machine(**{**found, "state": ComputerState(found["state"]), "untold": untold})

    def save(self, machine: Machine) -> None:
        self.machine = machine
        if machine.state == ComputerState.RUNNING and machine.until_ms is None:
            machine = replace(machine, until_ms=self._stored.until_ms)
        if machine == self._stored:
            return
        self._stored = machine
        self._sql.run(
            f"INSERT OR REPLACE INTO machine (one, {', '.join(COLUMNS)})"  # noqa: S608 - our names
            f" VALUES (1, {', '.join('?' * len(COLUMNS))})",
            *(_value(machine, name) for name in COLUMNS),
        )


def _value(machine: Machine, name: str) -> Value:
    if name == "untold":
        return json.dumps([restored.model_dump() for restored in machine.untold])
    value: Value = getattr(machine, name)
    return value
