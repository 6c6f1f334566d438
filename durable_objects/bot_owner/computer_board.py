"""What an owner knows of the computer: its state as last told, shown in the threads that it concerns."""

from datetime import UTC, datetime

from contracts.events import NoticeData
from contracts.records import Computer, Restored, Unusable
from contracts.states import ComputerState
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.files import FileShelf
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.runs import RunJournal

STATE, TOLD = "computer_view", "computer_wake_told"


class ComputerBoard:
    def __init__(self, catalog: Catalog, record: ThreadRecord, journal: RunJournal, files: FileShelf) -> None:
        self._catalog = catalog
        self._record = record
        self._journal = journal
        self._files = files
        self._view = catalog.setting(STATE, "")

    @property
    def view(self) -> Computer:
        if not self._view:
            return Computer(state=ComputerState.STANDBY, since_ms=0)
        return Computer.model_validate_json(self._view)

    def changed(self, view: str) -> None:
        """Keep what the computer says of itself and show it. Said again, nothing more is shown."""
        if view == self._view:
            return
        computer = Computer.model_validate_json(view)
        threads = self._threads_to_tell(computer)

        def write() -> None:
            self._catalog.set_setting(STATE, view)
            for thread_id in threads:
                self._record.append(thread_id, "computer.status", computer)
            if computer.restored:
                self._tell_of_wake(computer.restored, threads)

        self._record.write(write)
        self._view = view

    def _tell_of_wake(self, restored: Restored, threads: list[str]) -> None:
        woke = str(restored.woke_ms)
        if self._catalog.setting(TOLD, "") == woke:
            return
        self._catalog.set_setting(TOLD, woke)
        if restored.lost_ms is not None or restored.older:
            self._files.lost(restored.as_of_ms or 0, restored.woke_ms)
        notice = NoticeData(code="computer_restored", text=restored_text(restored), restored=restored)
        for thread_id in threads:
            self._record.append(thread_id, "notice", notice)

    def _threads_to_tell(self, computer: Computer) -> list[str]:
        """Where a change belongs: the threads whose commands run, else the last of them."""
        working = self._journal.threads_at_work()
        named = [command.thread_id for command in computer.commands]
        found = list(dict.fromkeys([*named, *working])) or self._journal.last_thread_with_calls()
        return [thread_id for thread_id in found if self._record.exists(thread_id)]


UNUSABLE: dict[Unusable, str] = {
    "snapshot_expired": "Its snapshot was too old to be used.",
    "snapshot_of_other_image": "Its snapshot was made on another version of the system.",
    "snapshot_failed": "It did not start from its snapshot.",
    "backup_damaged": "A newer backup was damaged.",
}


def restored_text(restored: Restored) -> str:
    """Say in English what differs from what the owner left; the page has sentences of its own.

    It goes to the model as words of ours, so it has no name of a file.
    """
    said = [UNUSABLE[reason] for reason in dict.fromkeys(restored.unusable)]
    if restored.lost_ms is not None:
        said.insert(0, f"The computer stopped unexpectedly at {_utc(restored.lost_ms)}.")
    said.append(_files_text(restored))
    if restored.source == "backup":
        said.append("What was elsewhere than in /workspace and the home folder did not come back.")
    if restored.missing:
        said.append(f"Files that did not come back: {restored.missing}.")
    return " ".join(said)


def _files_text(restored: Restored) -> str:
    if restored.as_of_ms is None:
        return "Nothing had been saved before, so its workspace is a fresh one."
    come = "come from a backup and are" if restored.source == "backup" else "are"
    gone = "; later changes are gone" if restored.lost_ms is not None or restored.older else ""
    return f"Its files {come} as they were at {_utc(restored.as_of_ms)}{gone}."


def _utc(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
