"""A stand-in for the part of Cloudflare's account API that deploying asks, by wrangler and by Berth itself.

It keeps what it is given (Workers with their versions, secrets, migrations and assets; buckets; zones) and
answers in the API's own envelope; it runs no Worker. Sources: the API's public reference, and what wrangler
asks.
"""

import hashlib
import json
import re
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

ACCOUNT = "0123456789abcdef0123456789abcdef"
TOKEN = "a-token-of-the-stand-in"
ASSETS_TOKEN = "a-token-for-assets"
PREFIX = "/client/v4"


class RefusedError(Exception):
    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


@dataclass
class WorkerState:
    migration: str = ""
    secrets: dict[str, str] = field(default_factory=dict)
    versions: list[dict[str, Any]] = field(default_factory=list)
    deployments: list[dict[str, Any]] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    """What came with the newest upload."""
    modules: dict[str, int] = field(default_factory=dict)
    """Sizes of what was uploaded, by name."""
    domains: list[str] = field(default_factory=list)
    workers_dev: bool = False


@dataclass
class CloudflareState:
    subdomain: str = "someone"
    zones: tuple[str, ...] = ("example.com",)
    containers: bool = True
    accounts: dict[str, str] = field(default_factory=lambda: {ACCOUNT: "Someone's"})
    workers: dict[str, WorkerState] = field(default_factory=dict)
    images: list[str] = field(default_factory=list)
    """Container images that were prepared."""
    applications: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Of containers, by the id of their objects' namespace."""
    buckets: set[str] = field(default_factory=set)
    assets: dict[str, int] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    """`METHOD path` of every request."""
    failing: dict[str, int] = field(default_factory=dict)
    """Statuses with which paths of these endings are refused."""
    passing: dict[str, list[int]] = field(default_factory=dict)
    """The same for so many requests, one status each; 0 has the connection closed without an answer."""
    lost: set[str] = field(default_factory=set)
    """`METHOD ending` of requests that are done, and whose first answer is lost."""
    appears: dict[str, tuple[str, WorkerState]] = field(default_factory=dict)
    """Workers of these names that are there once a path of that ending has been asked for."""
    retry_after: str = ""
    """What a refusal names as the time to wait."""

    def worker(self, name: str) -> WorkerState:
        if name not in self.workers:
            raise RefusedError(404, 10007, "This Worker does not exist on your account.")
        return self.workers[name]


@dataclass(frozen=True)
class Asked:
    state: CloudflareState
    method: str
    query: dict[str, list[str]]
    content_type: str
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def accounts(asked: Asked) -> Any:
    return [{"id": key, "name": name} for key, name in asked.state.accounts.items()]


def memberships(asked: Asked) -> Any:
    return [{"id": account["id"], "account": account} for account in accounts(asked)]


def user(_asked: Asked) -> Any:
    return {"email": "someone@example.com"}


def zones(asked: Asked) -> Any:
    wanted = asked.query.get("name", [""])[0]
    return [{"id": f"zone-{name}", "name": name} for name in asked.state.zones if name == wanted]


def containers_plan(asked: Asked) -> Any:
    if not asked.state.containers:
        raise RefusedError(403, 10000, "Containers are not part of this plan.")
    return {"account_id": ACCOUNT}


def prepare_image(asked: Asked) -> Any:
    asked.state.images.append(asked.json["image"])
    return {"status": "ready"}


def create_application(asked: Asked) -> Any:
    wanted = asked.json
    asked.state.applications[wanted["durable_objects"]["namespace_id"]] = wanted
    return {"id": str(uuid.uuid4()), **wanted}


def application(asked: Asked, namespace_id: str) -> Any:
    if namespace_id not in asked.state.applications:
        raise RefusedError(404, 1000, "There is no such application.")
    return {"id": namespace_id, **asked.state.applications[namespace_id]}


def subdomain(asked: Asked) -> Any:
    if not asked.state.subdomain:
        raise RefusedError(404, 10007, "There is no subdomain yet.")
    return {"subdomain": asked.state.subdomain}


def bucket(asked: Asked, name: str) -> Any:
    if name not in asked.state.buckets:
        raise RefusedError(404, 10006, "The specified bucket does not exist.")
    return {"name": name}


def create_bucket(asked: Asked) -> Any:
    asked.state.buckets.add(asked.json["name"])
    return {}


def service(asked: Asked, name: str) -> Any:
    worker = asked.state.worker(name)
    script = {"id": name, "last_deployed_from": "wrangler", "migration_tag": worker.migration or None}
    environment = {"environment": "production", "script": script}
    return {"id": name, "default_environment": environment, "environments": [environment]}


def worker_settings(asked: Asked, name: str) -> Any:
    worker = asked.state.worker(name)
    if asked.method == "PATCH":
        worker.workers_dev = bool(asked.json.get("subdomain", {}).get("enabled"))
    switch = {"enabled": worker.workers_dev, "previews_enabled": False}
    return {"id": name, "name": name, "subdomain": switch}


def delete(asked: Asked, name: str) -> Any:
    asked.state.worker(name)
    del asked.state.workers[name]
    return {}


def begin_assets(asked: Asked, _name: str) -> Any:
    manifest = asked.json["manifest"]
    asked.state.assets = {path: entry["size"] for path, entry in manifest.items()}
    return {"jwt": ASSETS_TOKEN, "buckets": []}


def upload(asked: Asked, name: str) -> Any:
    """A new version of the code, which answers at once."""
    form = _form(asked.content_type, asked.body)
    metadata = json.loads(form.pop("metadata"))
    worker = asked.state.workers.setdefault(name, WorkerState())
    if migrations := metadata.get("migrations"):
        if (migrations.get("old_tag") or "") != worker.migration:
            raise RefusedError(412, 10079, "The migration tag precondition failed.")
        worker.migration = migrations["new_tag"]
    bindings = metadata.get("bindings", ())
    worker.secrets |= {one["name"]: one["text"] for one in bindings if one["type"] == "secret_text"}
    worker.metadata, worker.modules = metadata, {part: len(content) for part, content in form.items()}
    number = len(worker.versions) + 1
    version_id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{name}/{number}"))
    made = {"created_on": f"2026-11-30T10:00:{number:02}Z", "source": "wrangler", "author_email": ""}
    worker.versions.append({
        "id": version_id,
        "number": number,
        "metadata": made,
        "annotations": metadata.get("annotations") or {},
        "resources": {
            "script": {"etag": hashlib.sha256(asked.body).hexdigest(), "handlers": ["fetch"]},
            "script_runtime": {"migration_tag": worker.migration},
            "bindings": [_shown(binding, name) for binding in bindings],
        },
    })  # fmt: skip
    _answer_with(worker, [{"version_id": version_id, "percentage": 100}])
    return {"id": name, "startup_time_ms": 12, "deployment_id": version_id, "tag": name, "has_modules": True}


def secrets(asked: Asked, name: str) -> Any:
    return [{"name": secret, "type": "secret_text"} for secret in asked.state.worker(name).secrets]


def versions(asked: Asked, name: str) -> Any:
    return {"items": [{"id": one["id"]} for one in reversed(asked.state.worker(name).versions)]}


def version(asked: Asked, name: str, version_id: str) -> Any:
    for one in asked.state.worker(name).versions:
        if one["id"] == version_id:
            return one
    raise RefusedError(404, 10007, "There is no such version.")


def deployments(asked: Asked, name: str) -> Any:
    worker = asked.state.worker(name)
    if asked.method == "POST":
        return _answer_with(worker, asked.json["versions"])
    return {"deployments": list(reversed(worker.deployments))}


def script_settings(_asked: Asked, _name: str) -> Any:
    return {"bindings": [], "observability": {}, "tags": [], "logpush": False, "tail_consumers": []}


def script_subdomain(asked: Asked, name: str) -> Any:
    worker = asked.state.worker(name)
    if asked.method == "POST":
        worker.workers_dev = bool(asked.json["enabled"])
    return {"enabled": worker.workers_dev, "previews_enabled": False}


def domains_changed(asked: Asked, _name: str) -> Any:
    added = [{"hostname": one["hostname"]} for one in asked.json]
    return {"added": added, "removed": [], "updated": [], "conflicting": []}


def domains(asked: Asked, name: str) -> Any:
    asked.state.worker(name).domains = [one["hostname"] for one in asked.json["origins"]]
    return {}


def namespaces(asked: Asked) -> Any:
    return [
        {"id": _namespace(name, one["class_name"]), "script": name, "class": one["class_name"]}
        for name, worker in asked.state.workers.items()
        for one in worker.metadata.get("bindings", ())
        if one["type"] == "durable_object_namespace"
    ]


def delete_application(asked: Asked, namespace_id: str) -> Any:
    asked.state.applications.pop(namespace_id, None)
    return {}


def nothing(_asked: Asked, _name: str = "") -> Any:
    return []


OF_ACCOUNT = r"/accounts/[0-9a-f]{32}"
NAME = r"([^/]+)"
SCRIPT = rf"{OF_ACCOUNT}/workers/scripts/{NAME}"
ROUTES: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("GET", "/accounts", accounts),
    ("GET", "/memberships", memberships),
    ("GET", "/user", user),
    ("GET", "/zones", zones),
    ("GET", f"{OF_ACCOUNT}/containers/me", containers_plan),
    ("POST", f"{OF_ACCOUNT}/containers/image-preparations", prepare_image),
    ("POST", f"{OF_ACCOUNT}/containers/applications", create_application),
    ("GET", f"{OF_ACCOUNT}/containers/applications/{NAME}", application),
    ("DELETE", f"{OF_ACCOUNT}/containers/applications/{NAME}", delete_application),
    ("GET", f"{OF_ACCOUNT}/workers/durable_objects/namespaces", namespaces),
    ("GET", f"{OF_ACCOUNT}/storage/kv/namespaces", nothing),
    ("GET", f"{OF_ACCOUNT}/workers/subdomain", subdomain),
    ("GET", f"{OF_ACCOUNT}/r2/buckets/{NAME}", bucket),
    ("POST", f"{OF_ACCOUNT}/r2/buckets", create_bucket),
    ("GET", f"{OF_ACCOUNT}/workers/services/{NAME}", service),
    ("DELETE", f"{OF_ACCOUNT}/workers/services/{NAME}", delete),
    ("GET|PATCH", f"{OF_ACCOUNT}/workers/workers/{NAME}", worker_settings),
    ("POST", f"{SCRIPT}/assets-upload-session", begin_assets),
    ("PUT", SCRIPT, upload),
    ("DELETE", SCRIPT, delete),
    ("GET", f"{SCRIPT}/secrets", secrets),
    ("GET", f"{SCRIPT}/versions", versions),
    ("GET", f"{SCRIPT}/versions/{NAME}", version),
    ("GET|POST", f"{SCRIPT}/deployments", deployments),
    ("GET|PATCH", f"{SCRIPT}/(?:script-)?settings", script_settings),
    ("GET|POST", f"{SCRIPT}/subdomain", script_subdomain),
    ("POST", f"{SCRIPT}/domains/changeset", domains_changed),
    ("PUT", f"{SCRIPT}/domains/records", domains),
    ("GET", f"{SCRIPT}/(?:routes|schedules|references)", nothing),
)


def answer(
    state: CloudflareState, method: str, target: str, headers: Message, body: bytes
) -> tuple[int, dict[str, Any]]:
    """The status and the envelope of one request."""
    url = urlsplit(target)
    path = url.path.removeprefix(PREFIX)
    state.asked.append(f"{method} {path}")
    for ending in [one for one in state.appears if path.endswith(one)]:
        name, worker = state.appears.pop(ending)
        state.workers[name] = worker
    asked = Asked(state, method, parse_qs(url.query), headers.get("content-type") or "", body)
    try:
        _admit(state, path, headers)
        return 200, _envelope(_route(asked, path))
    except RefusedError as refused:
        return refused.status, _envelope(None, refused)


def _route(asked: Asked, path: str) -> Any:
    for methods, pattern, handler in ROUTES:
        if asked.method in methods.split("|") and (found := re.fullmatch(pattern, path)):
            return handler(asked, *found.groups())
    raise RefusedError(404, 7003, f"Could not route to {path}")


def _admit(state: CloudflareState, path: str, headers: Message) -> None:
    for ending, statuses in state.passing.items():
        if path.endswith(ending) and statuses:
            raise RefusedError(statuses.pop(0), 10000, "The stand-in was told to refuse.")
    for ending, status in state.failing.items():
        if path.endswith(ending):
            raise RefusedError(status, 10000, "The stand-in was told to refuse.")
    if (headers.get("authorization") or "").removeprefix("Bearer ") not in {TOKEN, ASSETS_TOKEN}:
        raise RefusedError(401, 10000, "Authentication error")


def is_of(wanted: str, method: str, target: str) -> bool:
    """`wanted` is a method and how a path ends."""
    named, _, ending = wanted.partition(" ")
    return method == named and urlsplit(target).path.endswith(ending)


def _answer_with(worker: WorkerState, shares: list[dict[str, Any]]) -> dict[str, Any]:
    deployment = {
        "id": str(uuid.uuid4()),
        "created_on": f"2026-11-30T11:00:{len(worker.deployments) + 1:02}Z",
        "strategy": "percentage",
        "source": "wrangler",
        "author_email": "someone@example.com",
        "versions": shares,
    }
    worker.deployments.append(deployment)
    return deployment


def _shown(binding: dict[str, Any], worker: str) -> dict[str, Any]:
    """A binding as a version tells it: without what is secret, and with the namespace of its objects."""
    secret = binding["type"] == "secret_text"
    told = {key: value for key, value in binding.items() if not (secret and key == "text")}
    if binding["type"] == "durable_object_namespace":
        told["namespace_id"] = _namespace(worker, binding["class_name"])
    return told


def _namespace(worker: str, class_name: str) -> str:
    """The id of the namespace in which the objects of a class lie."""
    return uuid.uuid5(uuid.NAMESPACE_URL, f"{worker}/{class_name}").hex


def _envelope(result: Any, refused: RefusedError | None = None) -> dict[str, Any]:
    errors = [{"code": refused.code, "message": refused.message}] if refused else []
    page = {"page": 1, "per_page": 50, "count": 1, "total_count": 1, "total_pages": 1}
    return {
        "success": refused is None, "errors": errors, "messages": [], "result": result, "result_info": page,
    }  # fmt: skip


def _form(content_type: str, body: bytes) -> dict[str, bytes]:
    """The parts of a multipart form by name."""
    message = BytesParser(policy=HTTP).parsebytes(f"content-type: {content_type}\r\n\r\n".encode() + body)
    parts = {}
    for part in message.walk():
        if name := part.get_param("name", header="content-disposition"):
            content = part.get_payload(decode=True)
            parts[str(name)] = content if isinstance(content, bytes) else b""
    return parts


@contextmanager
def served(state: CloudflareState) -> Iterator[str]:
    """Serve on a free port of loopback; the value is the base URL."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self._body()
            with lock:
                status, told = answer(state, self.command, self.path, self.headers, body)
                lost = next((one for one in state.lost if is_of(one, self.command, self.path)), None)
                state.lost.discard(lost or "")
            if lost or not status:
                self.close_connection = True
                return
            text = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            if state.retry_after and status >= 400:
                self.send_header("retry-after", state.retry_after)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = handle_any  # noqa: N815 - names of http.server

        def _body(self) -> bytes:
            if self.headers.get("transfer-encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("content-length") or 0))
            pieces = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(pieces)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Nothing: tests read `asked`."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{PREFIX}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
