"""A run whose model plays a recording, and what of its thread must be equal however often something died.

Every step makes one call. The commands among them add the step's number to a file of the run, so that it says
how often each was made.
"""

import json
import re
from typing import Any

from tests.integration.chat.person import Event

EXEC = "computer__exec"
ID = re.compile(r"\b[a-z]+_[0-9A-Z]{26}\b")
# What is drawn by chance; times go by the end of their names.
VARIES = {"nonce", "client_id"}


def recording(steps: int, folder: str) -> list[dict[str, Any]]:
    """Answers of a model with one call each, and its words at the end and when it is asked to look again."""
    calls = [{"text": f"Step {n}.", "calls": [_call(n, folder)]} for n in range(1, steps + 1)]
    return [*calls, {"text": "All steps are made."}, {"text": "They are, I have looked."}]


def _call(n: int, folder: str) -> dict[str, Any]:
    notes = f"{folder}/notes.txt"
    count = f"mkdir -p {folder}; echo {n} >> {folder}/ran; tail -n 1 {folder}/ran"
    kinds: tuple[tuple[str, dict[str, Any]], ...] = (
        (EXEC, {"command": count}),
        ("computer__write_file", {"path": notes, "content": f"note {n}\n"}),
        (EXEC, {"command": count}),
        ("computer__export_artifact", {"path": notes}),
        ("computer__edit_file", {"path": notes, "oldText": "note", "newText": f"note before {n},"}),
        ("computer__read_file", {"path": notes}),
    )
    tool, arguments = kinds[(n - 1) % len(kinds)]
    return {"tool": tool, "arguments": arguments}


def commands(steps: int) -> list[str]:
    """The numbers of the steps that are commands."""
    return [str(n) for n in range(1, steps + 1) if _call(n, "")["tool"] == EXEC]


def equal_part(events: list[Event], folder: str) -> list[Event]:
    """The events without times, chance and the folder's name; ids are numbered as they come."""
    text = json.dumps([_steady(event) for event in events]).replace(folder, "FOLDER")
    names: dict[str, str] = {}
    return list(json.loads(ID.sub(lambda found: names.setdefault(found[0], f"id {len(names) + 1}"), text)))


def _steady(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {name for name in value if name not in VARIES and not name.endswith("_ms")}
        return {name: _steady(part) for name, part in value.items() if name in kept}
    return [_steady(part) for part in value] if isinstance(value, list) else value
