"""What Berth itself says of a finished call: fixed wording and numbers, nothing from outside."""

from typing import Any

from contracts.tools import ASK_OWNER
from contracts.venue_tools import VENUE_NAMES

NETWORK = {
    "egress_denied": "were denied by the rules; the same request will be denied again",
    "egress_throttled": "were refused for now, as there were too many; wait, then send fewer",
    "computer_banned": "were refused: this computer may not go out, and trying again does not help",
    "computer_circuit_open": "were refused: no computer may go out at present; go on without the network",
}
FULL = (
    "The workspace is over its limit (workspace_full): a command that adds to it is ended and no more files"
    " are written; reading and deleting go on. Delete files that are not needed."
)
BANNED = "Ended: an operator has banned this computer (computer_banned); trying again does not help."
ASKED = "The person was asked. What they write next is their answer."


def note(data: dict[str, Any]) -> str:
    """`data` is that of a `tool.finished` event."""
    command = data["command"]
    if command is None and not data["ok"]:
        return f"Failed: {data['error']['code'] if data['error'] else 'error'}."
    if command is None:
        return _change_note(data["change"]) if data.get("change") else _done(data)
    ending = {
        "exited": f"Exit code {command['exit_code']}.",
        "signalled": f"Ended by signal {command['signal']}.",
        "timed_out": "Ended because its time was up (command_timeout).",
        "stopped": BANNED if command.get("banned") else "Stopped by the person.",
        "lost": "The computer stopped unexpectedly; how the command ended is unknown.",
    }[command["state"]]
    facts = [ending, f"Took {command['duration_ms'] / 1000:.1f} s."]
    if command["oom"]:
        facts.append("It ran out of memory.")
    if command.get("workspace_full"):
        facts.append(FULL)
    if command["leftovers"]:
        facts.append(f"{command['leftovers']} processes were still running at the end and were ended.")
    if command["cut_characters"]:
        facts.append(f"{_kept(command)} is in {command['log_path']}.")
    facts += _network_facts(command["egress"])
    return " ".join(facts)


def shortened_note(data: dict[str, Any]) -> str:
    """What stands under a result that is shown by its beginning and its end: how to have it whole."""
    command = data["command"]
    if command and command["log_path"]:
        return f"(Shortened, as it is older. {_kept(command)} is in {command['log_path']}.)"
    return "(Shortened, as it is older. Make the call again to see the whole.)"


def _kept(command: dict[str, Any]) -> str:
    """A log that has a note is not whole; the note itself comes from the computer."""
    return "What was kept of the output" if command.get("log_note") else "The whole output"


def _done(data: dict[str, Any]) -> str:
    if data.get("tool") in VENUE_NAMES:
        return "The trading venue:"
    return ASKED if data.get("tool") == ASK_OWNER else "Done."


def _network_facts(receipts: list[dict[str, Any]]) -> list[str]:
    """What became of the requests that did not leave, and what to do about it; hosts stay in the card."""
    counts: dict[str, int] = {}
    for receipt in receipts:
        if not receipt["allowed"]:
            code = receipt.get("code") or "egress_denied"
            counts[code] = counts.get(code, 0) + receipt["count"]
    return [f"{count} network requests {NETWORK[code]} ({code})." for code, count in counts.items()]


def _change_note(change: dict[str, Any]) -> str:
    size = f"The file has {change['size']} bytes now"
    if change["created"]:
        return f"Done. {size}; it is new."
    if not change["compared"]:
        return f"Done. {size}; what was there before was no text."
    lines = f"{change['added']} lines added, {change['removed']} removed"
    return f"Done. {size}; {lines}." + (" The diff is cut." if change["cut"] else "")
