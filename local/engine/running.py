"""What a started container is to the engine, sandboxed or not.

`launch.Sandbox` is the real thing. `Plain` is for a look around on a machine that allows no
namespaces: the same programs as processes of the caller, with folders of the host and free ports
in place of the sandbox's own. It protects nothing.
"""

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from local.engine.errors import NoSuchObjectError
from local.engine.launch import Process, adopt
from local.engine.namespaces import Doors

SERVICE_PORT = 8080
TRUST_VARIABLES = (
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO",
    "PIP_CERT",
)  # fmt: skip
"""Without a sandbox nothing can be put at the certificate's usual place."""


class Running(Protocol):
    @property
    def process(self) -> Process: ...

    @property
    def leader(self) -> int:
        """The process whose end is the end of all the others."""
        ...

    @property
    def doors(self) -> Doors: ...

    @property
    def environment(self) -> Mapping[str, str]:
        """What the first process was given, and a command beside it gets too."""
        ...

    def signal(self, number: int) -> None: ...

    def take_socket(self) -> socket.socket: ...

    def address(self, port: int) -> tuple[str, int]: ...

    def close(self) -> None: ...


@dataclass
class Plain:
    """A computer without a sandbox. Only its service's port can be reached."""

    process: Process
    doors: Doors
    port: int
    environment: Mapping[str, str]

    @property
    def leader(self) -> int:
        return self.process.popen.pid

    def signal(self, number: int) -> None:
        if not self.process.ended.done():
            # It may have ended already, and the report is on its way.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.popen.pid, number)

    def take_socket(self) -> socket.socket:
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        found.setblocking(False)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return found

    def address(self, port: int) -> tuple[str, int]:
        if port != SERVICE_PORT:
            raise NoSuchObjectError(f"without a sandbox only port {SERVICE_PORT} can be reached")
        return "127.0.0.1", self.port

    def close(self) -> None:
        self.doors.close()
        with contextlib.suppress(ProcessLookupError):  # mostly nothing was left behind
            os.killpg(self.process.popen.pid, signal.SIGKILL)


def proxy_variables(port: int) -> dict[str, str]:
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
    found = dict.fromkeys(names, f"http://127.0.0.1:{port}")
    return found | dict.fromkeys(("no_proxy", "NO_PROXY"), "localhost,127.0.0.1")


def start_plain(
    command: Sequence[str],
    computer: Path | None,
    environment: Mapping[str, str],
    files: Path,
    certificates: Path,
) -> Plain:
    """Run a command, or the service in `computer`, with the folders of `files` and a free port."""
    proxy = socket.create_server(("127.0.0.1", 0))
    proxy.setblocking(False)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    workspace, home = str(files / "workspace"), str(files / "home")
    variables = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": home,
        "LANG": "C.UTF-8",
        **environment,
        **proxy_variables(int(proxy.getsockname()[1])),
        "BERTH_WORKSPACE": workspace,
        "BERTH_PORT": str(port),
        **dict.fromkeys(TRUST_VARIABLES, str(certificates / "certs/cloudflare-containers-ca.crt")),
    }
    if computer is not None:
        command = ["/usr/bin/python3", "-I", "-B", str(computer / "computerd")]
        command += ["--listen", f"127.0.0.1:{port}", "--workspace", workspace, "--home", home]
    popen = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=variables,
        cwd=files / "workspace",
        start_new_session=True,
    )
    return Plain(adopt(popen), Doors(proxy), port, variables)
