"""A Berth whose limits are other ones than promised, made of a copy of the sources."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from local.bundle import ROOT

OWN = ("build", "contracts")


def root_with(folder: Path, numbers: Mapping[str, int]) -> Path:
    """Make a root in the folder that is this one but for these numbers of contracts/limits.py."""
    for entry in ROOT.iterdir():
        if entry.name not in OWN and entry.name != ".git":
            (folder / entry.name).symlink_to(entry)
    shutil.copytree(ROOT / "build", folder / "build")
    # Other tests compile meanwhile, and what they write there comes and goes.
    shutil.copytree(ROOT / "contracts", folder / "contracts", ignore=shutil.ignore_patterns("__pycache__"))
    limits = folder / "contracts/limits.py"
    text = limits.read_text()
    for name, number in numbers.items():
        text, count = re.subn(rf"^{name}: Final = .*$", f"{name}: Final = {number}", text, flags=re.MULTILINE)
        assert count == 1, name
    limits.write_text(text)
    return folder


def hasty_root(folder: Path) -> Path:
    """Computers sleep a second after their last call instead of five minutes."""
    return root_with(folder, {"IDLE_SECONDS": 1})
