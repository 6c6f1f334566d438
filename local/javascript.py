"""JavaScript beside the Python of the Worker: each `NAME.entry.mjs` becomes one module, `NAME.mjs`.

esbuild puts what an entry imports from npm into the module itself, since a Worker resolves no packages.
"""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from local.toolchain import ToolchainError, node_binary

ENTRY = ".entry.mjs"
# What a module is made of lies in node_modules, whose contents this file names by their hashes.
LOCK = "package-lock.json"
OPTIONS = (
    "--bundle", "--format=esm", "--platform=neutral", "--main-fields=module,main", "--target=es2022",
    "--minify", "--legal-comments=inline", "--log-level=error",
)  # fmt: skip


class JavaScriptError(Exception):
    """An entry cannot be made into a module; the message is esbuild's."""


def entries(sources: Mapping[str, Path]) -> dict[str, Path]:
    """Of a Worker's sources the entries, by the names of the modules they become."""
    return {
        f"{Path(name).name.removesuffix(ENTRY)}.mjs": path
        for name, path in sources.items()
        if name.endswith(ENTRY)
    }


def module_of(root: Path, entry: Path) -> bytes:
    """Return the source of the module. Raises JavaScriptError."""
    try:
        node = node_binary(root)
    except ToolchainError as error:
        raise JavaScriptError(str(error)) from error
    command = [str(node), str(root / "node_modules/esbuild/bin/esbuild"), str(entry), *OPTIONS]
    done = subprocess.run(command, check=False, capture_output=True, cwd=root)
    if done.returncode:
        raise JavaScriptError(done.stderr.decode(errors="replace").strip())
    return done.stdout
