"""The tools of a computer trust the interception without a flag, and go where the rules let them."""

import importlib.util
import io
import subprocess
import uuid
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.integration.chat.person import Person, Thread, of
from tests.integration.egress.outside import Outside

URL = "https://api.kraken.com/0/public/Time"
PYTHON = "/usr/bin/python3 -c"


@pytest.mark.parametrize(
    "command",
    [
        f"curl -sS {URL}",
        f"wget -qO- {URL}",
        f"{PYTHON} 'import urllib.request as u; print(u.urlopen(\"{URL}\").read().decode())'",
        f"pip download --retries 0 --no-deps -d x -i {URL} x 2>&1 | grep -v CERTIFICATE >/dev/null; echo ok",
    ],
    ids=["curl", "wget", "python", "pip"],
)
async def test_a_tool_reads_an_allowed_host(thread: Thread, outside: Outside, command: str) -> None:
    before = len(outside.seen)
    result = await thread.exec(command)
    assert result["output"].strip() == "ok"
    assert {urlsplit(seen.url).netloc for seen in outside.seen[before:]} <= {"api.kraken.com"}
    assert any(line["host"] == "api.kraken.com" for line in result["egress"])


JAVA = f"""
import java.net.*;
import java.net.http.*;
public class Get {{
  public static void main(String[] a) throws Exception {{
    var url = URI.create("{URL}");
    var request = HttpRequest.newBuilder(url).build();
    System.out.print(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
    System.out.print(new String(url.toURL().openStream().readAllBytes()));
  }}
}}
"""
NODE = f"""
const [proxy, url] = [new URL(process.env.https_proxy), new URL("{URL}")];
require("http").request({{
  host: proxy.hostname, port: proxy.port, method: "CONNECT", path: url.host + ":443",
}}).on("connect", (_, socket) => {{
  const tls = require("tls").connect({{ socket, servername: url.host }});
  const options = {{ createConnection: () => tls, headers: {{ host: url.host }} }};
  require("https").get(url, options, (answer) => answer.pipe(process.stdout));
}}).end();
"""
HTTPX = f"import httpx; print(httpx.get('{URL}').text)"
REQUESTS = f"import requests; print(requests.get('{URL}').text)"
FETCH = f"fetch('{URL}').then((answer) => answer.text()).then(console.log)"


async def needs(thread: Thread, probe: str, what: str) -> None:
    result = await thread.exec(f"{probe} >/dev/null 2>&1")
    if result["exit_code"] != 0:
        pytest.skip(f"this machine's computer has no {what}")


async def test_java_reads_an_allowed_host(thread: Thread, outside: Outside) -> None:
    await needs(thread, "java --list-modules | grep jdk.compiler", "java that compiles")
    before = len(outside.seen)
    result = await thread.exec(
        f"cat >Get.java <<'END'\n{JAVA}\nEND\njava Get.java 2>err || cat err", seconds=120
    )
    assert result["output"].split() == ["ok", "ok"]
    assert [seen.url for seen in outside.seen[before:]] == [URL, URL]


async def test_chromium_reads_an_allowed_host(thread: Thread, outside: Outside) -> None:
    await needs(thread, "command -v chromium", "chromium")
    before = len(outside.at("api.kraken.com"))
    result = await thread.exec(f"chromium --headless --dump-dom {URL} 2>err || tail err", seconds=120)
    assert ">ok" in result["output"]
    assert URL in [seen.url for seen in outside.at("api.kraken.com")[before:]]


async def test_a_browser_trusts_nobody_else(thread: Thread) -> None:
    await needs(thread, "command -v chromium", "chromium")
    await needs(thread, "command -v openssl", "openssl")
    server = (
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout k -out c -subj /CN=localhost"
        " -addext subjectAltName=DNS:localhost 2>/dev/null;"
        " openssl s_server -quiet -accept 9443 -cert c -key k -www >/dev/null 2>&1 &"
        " until (exec 3<>/dev/tcp/127.0.0.1/9443) 2>/dev/null; do sleep 0.1; done"
    )
    page = "chromium --headless --dump-dom https://localhost:9443/ 2>&1"
    result = await thread.exec(f"{server}; {page}", seconds=120)
    assert "ERR_CERT_AUTHORITY_INVALID" in result["output"]


@pytest.mark.parametrize(
    ("probe", "command", "what"),
    [
        ("command -v node", f"node -e '{NODE}'", "node"),
        (
            "node -e 'http.globalAgent.options.proxyEnv || process.exit(1)'",
            f'node -e "{FETCH}"',
            "node 22.21",
        ),
        ("/usr/bin/python3 -c 'import requests'", f'{PYTHON} "{REQUESTS}"', "requests"),
        (
            "command -v uv",
            f"uv pip install -q --target x --index-url {URL} x 2>&1 | grep -c -i certificate",
            "uv",
        ),
    ],
    ids=["node", "fetch", "requests", "uv"],
)
async def test_a_tool_that_may_be_there_reads_an_allowed_host(
    thread: Thread, outside: Outside, probe: str, command: str, what: str
) -> None:
    await needs(thread, probe, what)
    before = len(outside.seen)
    result = await thread.exec(command)
    assert result["output"].strip() == ("0" if what == "uv" else "ok")
    assert {urlsplit(seen.url).netloc for seen in outside.seen[before:]} == {"api.kraken.com"}


def packed(*names: str) -> bytes:
    """Packages of plain Python from here, as a zip that Python imports from."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            spec = importlib.util.find_spec(name)
            assert spec is not None and spec.origin is not None
            source = Path(spec.origin)
            if source.name != "__init__.py":
                archive.write(source, source.name)
                continue
            for path in source.parent.rglob("*.py"):
                archive.write(path, path.relative_to(source.parents[1]))
    return file.getvalue()


async def test_httpx_reads_an_allowed_host(person: Person, thread: Thread, outside: Outside) -> None:
    found = packed("httpx", "httpcore", "h11", "anyio", "idna", "certifi", "typing_extensions")
    upload = await person.upload(thread, "httpx.zip", found, "application/zip")
    before = len(outside.seen)
    events = await thread.run(f'$ PYTHONPATH=uploads/httpx.zip {PYTHON} "{HTTPX}"', upload)
    (finished,) = of(events, "tool.finished")
    assert finished["command"]["output"].strip() == "ok"
    assert [seen.url for seen in outside.seen[before:]] == [URL]


async def test_npm_asks_its_registry(thread: Thread, outside: Outside) -> None:
    before = len(outside.seen)
    result = await thread.exec("npm view --fetch-retries=0 left-pad version 2>&1")
    assert [urlsplit(seen.url).path for seen in outside.seen[before:]] == ["/left-pad"]
    assert [line["reason"] for line in result["egress"]] == ["registry:npm"]


def repository(folder: Path, url: str) -> dict[str, bytes]:
    """A repository as files below a URL, which git reads without a server of its own."""
    git = ["git", "-c", "user.name=T", "-c", "user.email=t@t.invalid", "-C", str(folder)]
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    (folder / "README").write_text("cloned\n")
    subprocess.run([*git, "add", "README"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "one"], check=True)
    subprocess.run([*git, "update-server-info"], check=True)
    lying = folder / ".git"
    return {
        f"{url}/{path.relative_to(lying)}": path.read_bytes() for path in lying.rglob("*") if path.is_file()
    }


async def test_git_clones_from_a_host_that_its_owner_opened(
    person: Person, thread: Thread, outside: Outside, tmp_path: Path
) -> None:
    host = f"{uuid.uuid4().hex}.invalid"
    outside.files |= repository(tmp_path, f"https://{host}/r.git")
    clone = f"git clone -q https://{host}/r.git cloned; cat cloned/README"
    assert "403" in (await thread.exec(clone))["output"]
    await person.post("/api/egress/rules", {"host": host, "path": "/r.git", "understood": True}, expect=201)
    result = await thread.exec(clone)
    assert result["output"] == "cloned\n"
    assert {(line["host"], line["allowed"], line["reason"]) for line in result["egress"]} == {
        (host, True, "owner")
    }
    received = sum(line["received"] for line in result["egress"])
    asked = [seen.url.partition("?")[0] for seen in outside.at(host)]
    assert received == sum(len(outside.files.get(url, b"")) for url in asked)
