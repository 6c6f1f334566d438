"""The JavaScript of signing in, loaded when it is first needed: JSON text is all that crosses."""

import json
from collections.abc import Mapping
from typing import Any

from _pyodide_entrypoint_helper import doAnImport

MODULES = {
    "registered": "passkeys.mjs",
    "authenticated": "passkeys.mjs",
    "begun": "openid.mjs",
    "finished": "openid.mjs",
    "accessed": "openid.mjs",
}


async def check(name: str, asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """A function of one of the two modules by its name; what does not hold is in its answer."""
    module = await doAnImport(MODULES[name])
    answer: Mapping[str, Any] = json.loads(await getattr(module, name)(json.dumps(asked)))
    return answer
