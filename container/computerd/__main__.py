"""Entry point of `python3 -I -B /opt/berth/computerd`.

In isolated mode the folder itself is on the module path, not its parent. The parent takes its
place, so that the modules are imported as a package from one place only. `backup` and `restore` are the
service's own helpers, which it starts.
"""

import os
import sys
from importlib import import_module

if __name__ == "__main__":
    sys.path[0], package = os.path.split(os.path.dirname(os.path.abspath(__file__)))
    if sys.argv[1:2] in (["backup"], ["restore"]):
        work = import_module(f"{package}.{sys.argv[1]}").work
        sys.exit(import_module(f"{package}.errand").run(work, sys.argv[2]))
    sys.exit(import_module(f"{package}.service").main(sys.argv[1:]))
