"""The real OpenID provider of `provider.mjs` as a process, and a person who signs in on its pages."""

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urljoin

import httpx

from local.bundle import ROOT
from local.toolchain import node_binary

SCRIPT = ROOT / "tests/identity/provider.mjs"
ACTION = re.compile(r'<form[^>]* action="([^"]+)"')
PROMPT = re.compile(r'name="prompt" value="([^"]+)"')
STEPS = 10


@contextmanager
def real_provider() -> Iterator[str]:
    """Start it and give its address."""
    command = [str(node_binary(ROOT)), str(SCRIPT)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, **options) as process:  # type: ignore[call-overload]
        try:
            yield str(json.loads(process.stdout.readline())["url"])
        finally:
            process.terminate()


def agree(address: str, who: str) -> str:
    """Walk through the provider's pages as `who`; returns the address that it sends the browser back to."""
    with httpx.Client() as browser:
        answer = browser.get(address)
        for _ in range(STEPS):
            if answer.is_redirect:
                address = urljoin(str(answer.url), answer.headers["location"])
                if "/api/sign-in/oidc/callback" in address:
                    return address
                answer = browser.get(address)
                continue
            found, prompt = ACTION.search(answer.text), PROMPT.search(answer.text)
            assert found, answer.text[:2_000]
            form = {"login": who, "password": "any", "prompt": prompt[1] if prompt else ""}
            answer = browser.post(urljoin(str(answer.url), found[1]), data=form)
    raise AssertionError("the provider never sent anybody back")
