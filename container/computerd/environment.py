"""The environment of a command, made from nothing.

Of what computerd was started with, only the names listed here go on to commands: silence means
no. The rest is what a person at a terminal of this computer would have.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .trust import KEYSTORE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

CERTIFICATE = "/etc/cloudflare/certs/cloudflare-containers-ca.crt"
"""The authority that signs for every host while outbound requests pass the egress Worker."""

SHELL_ENV = os.path.join(os.path.dirname(__file__), "shell_env.sh")
"""Read by bash after the login profiles, which set PATH anew."""

PASSED_ON = (
    "BERTH_NETWORK",
    "BERTH_ACCOUNT_ADDRESSES",
    "http_proxy",
    "https_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "no_proxy",
    "NO_PROXY",
    "TZ",
)

WGET = os.path.join(os.path.dirname(__file__), "wgetrc")
CHARTS = os.path.join(os.path.dirname(__file__), "matplotlibrc")
CHARTS_FONT = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"

_TRUST = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO",
    "PIP_CERT",
    "NPM_CONFIG_CAFILE",
    "CARGO_HTTP_CAINFO",
    "DENO_CERT",
    "AWS_CA_BUNDLE",
)

_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


def command_environment(given: Mapping[str, str], home: str, exists: Callable[[str], bool]) -> dict[str, str]:
    """Everything that a command's shell starts with."""
    environment = {name: given[name] for name in PASSED_ON if name in given}
    environment |= {
        "HOME": home,
        "USER": "berth",
        "LOGNAME": "berth",
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "PATH": f"{home}/.local/bin:{_SYSTEM_PATH}",
        "BASH_ENV": SHELL_ENV,
        # Debian marks its Python as its own; user packages go to ~/.local and hurt nobody.
        "PIP_BREAK_SYSTEM_PACKAGES": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        "NPM_CONFIG_PREFIX": f"{home}/.local",
        "NPM_CONFIG_UPDATE_NOTIFIER": "false",
        # From Node 22.21 on its fetch then takes the proxy; an older one is caught without it.
        "NODE_USE_ENV_PROXY": "1",
        # A person watches: a script's prints must not wait for its buffer to fill.
        "PYTHONUNBUFFERED": "1",
        # Nobody can answer a question or leave a pager.
        "DEBIAN_FRONTEND": "noninteractive",
        "GIT_TERMINAL_PROMPT": "0",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
    }
    if exists(CERTIFICATE):
        environment |= {**dict.fromkeys(_TRUST, CERTIFICATE), "WGETRC": WGET}
        environment["JAVA_TOOL_OPTIONS"] = " ".join(_java_options(environment, home))
    if exists(CHARTS_FONT):
        environment["MATPLOTLIBRC"] = CHARTS
    return environment


def _java_options(environment: Mapping[str, str], home: str) -> Iterator[str]:
    """What every Java reads at its start; it knows neither PEM files nor the proxy variables."""
    yield f"-Djavax.net.ssl.trustStore={home}/{KEYSTORE}"
    for scheme in ("http", "https"):
        host, _, port = environment.get(f"{scheme}_proxy", "").rpartition("://")[2].strip("/").rpartition(":")
        if host and port.isdecimal():
            yield f"-D{scheme}.proxyHost={host}"
            yield f"-D{scheme}.proxyPort={port}"
