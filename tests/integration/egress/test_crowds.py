"""One computer that opens as many connections as it can, and says little on each."""

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, ended
from tests.integration.egress.outside import Outside

MARKET, VENUE = "api.kraken.com", "api.hyperliquid.xyz"
READ = f"curl -s -m 100 -o /dev/null -w '%{{http_code}}' https://{MARKET}/0/public/Time"
# Opens connections until 2,000 were tried; half say nothing, half begin a query and never end it.
CROWD = rf"""
import os, resource, socket, ssl, time
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
context = ssl.create_default_context()
kept = []
for number in range(2_000):
    try:
        wire = socket.create_connection(("127.0.0.1", 3128), 5)
        if number % 2 and len(kept) < 300:
            wire.sendall(b"CONNECT {VENUE}:443 HTTP/1.1\r\nHost: {VENUE}:443\r\n\r\n")
            assert wire.recv(1000)
            wire = context.wrap_socket(wire, server_hostname="{VENUE}")
            head = b"POST /info HTTP/1.1\r\nHost: {VENUE}\r\nContent-Length: 60000\r\n\r\n"
            wire.sendall(head + b" " * 50000)
        if len(kept) < 300:
            kept.append(wire)
    except (OSError, AssertionError):
        pass
print("open", len(kept), flush=True)
while not os.path.exists("go"):
    time.sleep(0.05)
"""


async def test_a_crowd_is_bounded_and_holds_up_nobody_else(
    thread: Thread, stack: LocalStack, outside: Outside
) -> None:
    before = len(outside.at(VENUE))
    async with Person.at(stack) as other, thread.watched() as watch:
        quiet = await other.thread()
        assert (await quiet.exec(READ))["output"] == "200"
        sent = await thread.send(f"$ cat >crowd.py <<'END'\n{CROWD}\nEND\n/usr/bin/python3 crowd.py")
        await watch.until(lambda event: event["type"] == "tool.output" and "open" in event["data"]["text"])
        assert (await quiet.exec(READ))["output"] == "200"
        await other.post("/api/computer/standby")
        await (await thread.person.thread()).exec("touch go")
        await watch.until(ended(sent["run"]["id"]))
    assert (await thread.exec(READ))["output"] == "200"
    assert outside.at(VENUE)[before:] == []
