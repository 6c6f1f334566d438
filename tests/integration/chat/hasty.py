"""A Berth whose computers sleep after a second instead of five minutes, made of a copy of the sources."""

import shutil
from pathlib import Path

from local.bundle import ROOT

PROMISED, HASTY = "IDLE_SECONDS: Final = 300", "IDLE_SECONDS: Final = 1"
OWN = ("build", "contracts")


def hasty_root(folder: Path) -> Path:
    """Make a root in the folder that is this one but for that number."""
    for entry in ROOT.iterdir():
        if entry.name not in OWN and entry.name != ".git":
            (folder / entry.name).symlink_to(entry)
    for name in OWN:
        shutil.copytree(ROOT / name, folder / name)
    limits = folder / "contracts/limits.py"
    text = limits.read_text()
    assert text.count(PROMISED) == 1
    limits.write_text(text.replace(PROMISED, HASTY))
    return folder
