"""What Cloudflare would be sent, as wrangler sees it, and whether it is small enough.

wrangler reads the whole configuration and builds the upload without an account or a network, so this is also
the check that the configuration is one that it accepts.
"""

import re
import tempfile
from dataclasses import dataclass

from local.launcher.tools import node_command, output_of, run

LIMIT_MIB = 4.0

TOTAL = re.compile(r"Total Upload:.*/ gzip: ([\d.]+) (KiB|MiB)")


@dataclass(frozen=True)
class Upload:
    mib: float
    report: str

    @property
    def fits(self) -> bool:
        return self.mib <= LIMIT_MIB


def measure() -> Upload | str:
    """Return the size, or what wrangler has against the configuration."""
    options = ("deploy", "--dry-run", "--containers-rollout=none", "--outdir")
    with tempfile.TemporaryDirectory(prefix="berth-upload-") as folder:
        done = run(node_command("wrangler/bin/wrangler.js", *options, folder))
    text = output_of(done)
    found = TOTAL.search(text)
    if done.returncode or found is None:
        return text
    size = float(found[1]) / (1024 if found[2] == "KiB" else 1)
    return Upload(size, f"{size:.2f} MiB gzipped of {LIMIT_MIB:.0f} MiB")
