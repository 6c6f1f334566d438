"""Only exact origins are let frame a view, and everything else of the page's policy holds in a frame too."""

import re

import pytest

from api.frame_origins import POLICY, frame_headers, origins_of, told
from api.headers import ALWAYS, security_headers
from local.bundle import ROOT


@pytest.mark.parametrize(
    "origin",
    ["https://app.example", "https://a.b.example:8443", "http://localhost:3000", "http://x.localhost:8080"],
)
def test_exact_origin_is_allowed(origin: str) -> None:
    assert origins_of(origin) == ([origin], [])


@pytest.mark.parametrize(
    "wrong",
    [
        "*",
        "https://*",
        "https://*.example",
        "https:",
        "app.example",
        "http://app.example",
        "https://app.example/",
        "https://app.example/path",
        "https://app.example:443",
        "http://localhost:80",
        "https://App.example",
        "https://user@app.example",
        "https://app.example;script-src",
        "'self'",
        "null",
        "data:",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        'https://a"><script>',
    ],
)
def test_what_is_no_exact_origin_allows_nobody(wrong: str) -> None:
    assert origins_of(wrong) == ([], [wrong])
    # And does not spoil the others.
    assert origins_of(f"https://app.example {wrong}")[0] == ["https://app.example"]


def test_nobody_is_allowed_by_default() -> None:
    headers = frame_headers(origins_of("")[0])
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"


def test_those_that_are_named_are_allowed_and_no_others() -> None:
    headers = frame_headers(["https://app.example", "https://b.example"])
    assert "frame-ancestors https://app.example https://b.example;" in headers["content-security-policy"]
    assert "x-frame-options" not in headers


def test_all_else_is_as_for_every_page() -> None:
    served = (ROOT / "web/public/_headers").read_text()
    [section] = re.findall(r"^/\*\n((?:  .+\n)+)", served, flags=re.MULTILINE)
    headers = dict(line.strip().split(": ", 1) for line in section.splitlines())
    assert headers["Content-Security-Policy"] == POLICY.format("'none'")
    assert headers["X-Frame-Options"] == "DENY"
    own = {name.lower(): value for name, value in headers.items()}
    # The page itself may ask for the microphone. A view only shows, as everything else of the Worker does.
    own["permissions-policy"] = own["permissions-policy"].replace("microphone=(self)", "microphone=()")
    added = security_headers("https", has_policy=True)
    assert {name: added.get(name) for name in own if name not in frame_headers([])} == {
        name: value for name, value in own.items() if name not in frame_headers([])
    }


def test_a_view_overrides_nothing_of_every_answer_but_who_may_load_it() -> None:
    own = {name for name in frame_headers(["https://app.example"]) if name in ALWAYS}
    assert own == {"cache-control", "cross-origin-resource-policy"}


def test_document_names_the_origins_once_at_its_head() -> None:
    document = told("<html><head><title>x</title></head></html>", ["https://a.example", "https://b.example"])
    assert document.count("https://a.example https://b.example") == 1
    assert document.index("berth-embed") < document.index("<title>")
