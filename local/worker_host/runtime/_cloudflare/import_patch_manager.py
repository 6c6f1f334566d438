"""Runs a context manager around the import of a module, as the SDK registers them.

Only the patches around a module's execution do anything: the others put randomness right after a snapshot of
Cloudflare's has been restored, and these are not made here.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TypeVar

Patch = Callable[[ModuleType], AbstractContextManager[object]]
Registered = TypeVar("Registered")

patches: dict[str, Patch] = {}


def register_exec_patch(name: str) -> Callable[[Patch], Patch]:
    def register(patch: Patch) -> Patch:
        patches[name] = patch
        return patch

    return register


def _ignored(_name: str) -> Callable[[Registered], Registered]:
    return lambda handler: handler


register_create_patch = _ignored
register_before_first_request = _ignored
register_after_snapshot = _ignored


def block_calls(_module: ModuleType, *, allowlist: Sequence[str] = ()) -> None:
    """Nothing has to be blocked where randomness is always there."""


class PatchedLoader(Loader):
    def __init__(self, loader: Loader, patch: Patch) -> None:
        self._loader = loader
        self._patch = patch

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        with self._patch(module):
            self._loader.exec_module(module)


class PatchFinder(MetaPathFinder):
    """Finds what the other finders find, with the patch around it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        patch = patches.get(fullname)
        if patch is None:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = PatchedLoader(spec.loader, patch)
                return spec
        return None


sys.meta_path.insert(0, PatchFinder())
