"""The computer's files, looked at and taken away without waking it."""

import io
import shutil
import zipfile
from typing import Any
from urllib.parse import quote

import aiohttp
import pytest

from contracts.limits import WORKSPACE_BYTES_MAX
from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, ended, of


async def test_folders_are_listed_and_last_known_in_standby(thread: Thread) -> None:
    person = thread.person
    assert (await person.get("/api/files", expect=503))["code"] == "computer_unavailable"
    await thread.exec("mkdir -p data; echo 123 > data/a.csv; echo x > b.txt")
    live = await person.get("/api/files?sort=time")
    assert live["live"]
    assert [entry["name"] for entry in live["entries"] if not entry["name"].startswith(".")] == [
        "data",
        "b.txt",
    ]
    assert len((await person.get("/api/files?limit=1"))["entries"]) == 1
    inner = await person.get("/api/files?path=data")
    assert [(entry["name"], entry["size"]) for entry in inner["entries"]] == [("a.csv", 4)]
    assert (await person.get("/api/files?path=data/a.csv", expect=400))["code"] == "not_a_file"
    assert (await person.get("/api/files?path=/etc", expect=400))["code"] == "path_outside_workspace"
    assert (await person.post("/api/computer/standby"))["state"] == "standby"
    known = await person.get("/api/files?path=/workspace/data")
    assert (known["live"], known["entries"], known["at_ms"]) == (False, inner["entries"], inner["at_ms"])
    assert (await person.get("/api/files"))["entries"] == live["entries"]
    assert (await person.get("/api/files?path=elsewhere", expect=503))["code"] == "computer_unavailable"
    assert (await person.get("/api/files/content?path=b.txt", expect=503))["code"] == "computer_unavailable"
    assert (await person.get("/api/computer"))["state"] == "standby"


async def test_files_and_folders_are_taken_away(thread: Thread) -> None:
    person = thread.person
    await thread.exec(
        "mkdir -p 图; head -c 3000000 /dev/urandom > 图/noise; ln -s /etc 图/etc; sha256sum < 图/noise > sum"
    )
    get = person.session.get
    async with get("/api/files/content?path=图/noise", headers=person.headers) as response:
        data = await response.read()
        assert (response.status, len(data)) == (200, 3_000_000)
        assert response.headers["content-type"] == "application/octet-stream"
        assert response.headers["content-length"] == "3000000"
        assert response.headers["content-disposition"].startswith("attachment; ")
    async with get("/api/files/archive?path=图", headers=person.headers) as response:
        assert "filename*=UTF-8''%E5%9B%BE.zip" in response.headers["content-disposition"]
        with zipfile.ZipFile(io.BytesIO(await response.read())) as archive:
            assert archive.namelist() == ["noise"]
            assert archive.read("noise") == data
    for path in ("/etc/passwd", "../x", "图/etc/passwd"):
        answer = await person.get(f"/api/files/content?path={path}", expect=400)
        assert answer["code"] == "path_outside_workspace"


async def test_a_name_of_any_bytes_can_be_used_wherever_it_is_told(thread: Thread) -> None:
    person = thread.person
    await thread.exec(r"mkdir $'d\xff'; printf 'one\n' > $'d\xff/na\xefve.txt'")
    (folder,) = (e for e in (await person.get("/api/files"))["entries"] if e["name"].startswith("d"))
    (entry,) = (await person.get(f"/api/files?path={quote(folder['name'])}"))["entries"]
    path = f"{folder['name']}/{entry['name']}"
    assert path == "d\ufffdFF/na\ufffdEFve.txt"
    lines = f"/read {path}\n/edit {path}\none\n====\ntwo\n/export {path}"
    events = await thread.run(lines)
    assert [finished["ok"] for finished in of(events, "tool.finished")] == [True, True, True]
    (artifact,) = of(events, "artifact.created")
    assert artifact["name"] == entry["name"]
    url = f"/api/files/content?path={quote(path)}"
    async with person.session.get(url, headers=person.headers) as response:
        assert await response.read() == b"two\n"
        assert quote(entry["name"]) in response.headers["content-disposition"]
    assert (await thread.exec(r"cat $'d\xff/na\xefve.txt'"))["output"] == "two\n"


async def test_another_owner_sees_nothing_of_it(thread: Thread, stack: LocalStack) -> None:
    await thread.exec("echo mine > secret.txt")
    await thread.person.get("/api/files")
    async with Person.at(stack) as other:
        await other.get("/api/files", expect=503)
        await other.get("/api/files/content?path=secret.txt", expect=503)


async def test_a_file_of_the_largest_size_is_written_by_a_model_and_by_an_edit(thread: Thread) -> None:
    text = "line of text\n" * 20_000
    (finished,) = of(await thread.run(f"/write big.txt\n{text}"), "tool.finished")
    assert finished["change"]["size"] == len(text)
    (edited,) = of(await thread.run(f"/edit big.txt\n{text[:-1]}\n====\nshort"), "tool.finished")
    assert (edited["change"]["removed"], edited["change"]["cut"]) == (20_000, True)
    assert (await thread.exec("cat big.txt"))["output"] == "short\n"


async def test_a_folder_comes_while_it_is_packed_and_a_reader_that_leaves_ends_it(thread: Thread) -> None:
    person = thread.person
    await thread.exec(
        "mkdir big; truncate -s 300M big/a-zeros; head -c 40M /dev/urandom > big/b; echo early > big/c"
    )
    packing = "pgrep -cf 'archive[.]py'"
    async with person.session.get("/api/files/archive?path=big", headers=person.headers) as response:
        assert "content-length" not in response.headers
        data = await response.content.readexactly(4)
        # What is not read yet is not packed yet.
        assert (await thread.exec(f"echo late > big/c; {packing}"))["output"] == "1\n"
        data += await response.read()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert archive.read("c") == b"late\n"
        assert archive.getinfo("a-zeros").file_size == 300 << 20
    async with person.session.get("/api/files/archive?path=big", headers=person.headers) as response:
        await response.content.readexactly(4)
    gone = f"for i in $(seq 300); do {packing} || break; sleep 0.1; done | tail -1"
    assert (await thread.exec(gone))["output"] == "0\n"


async def test_a_folder_that_cannot_be_packed_to_its_end_does_not_look_whole(thread: Thread) -> None:
    person = thread.person
    await thread.exec("mkdir noise; head -c 60M /dev/urandom > noise/a")
    async with person.session.get("/api/files/archive?path=noise", headers=person.headers) as response:
        await response.content.readexactly(4)
        await thread.exec("pkill -9 -f 'archive[.]py'")
        with pytest.raises(aiohttp.ClientPayloadError):
            await response.read()
    assert (await thread.exec("echo on"))["output"] == "on\n"


async def test_packing_keeps_no_computer_awake(thread: Thread) -> None:
    person = thread.person
    await thread.exec("mkdir noise; head -c 60M /dev/urandom > noise/a")
    async with person.session.get("/api/files/archive?path=noise", headers=person.headers) as response:
        await response.content.readexactly(4)
        assert (await person.post("/api/computer/standby"))["state"] == "standby"
        with pytest.raises(aiohttp.ClientPayloadError):
            await response.read()
    assert (await person.get("/api/computer"))["state"] == "standby"


async def test_a_workspace_over_its_limit_can_be_emptied_and_takes_nothing_until_then(
    thread: Thread, stack: LocalStack
) -> None:
    if shutil.disk_usage(stack.state).free < 2 * WORKSPACE_BYTES_MAX:
        pytest.skip("this machine has too little room")
    # Allocated, not written: it costs no time, and counts.
    filled = await thread.exec(f"fallocate -l {WORKSPACE_BYTES_MAX} large; sleep 60; echo not ended")
    try:
        assert filled["workspace_full"] is True
        assert "not ended" not in filled["output"]
        (refused,) = of(await thread.run("/write a.txt\nx"), "tool.finished")
        assert refused["error"]["code"] == "workspace_full"
        assert "Delete files" in refused["error"]["message"]
        upload = await thread.person.upload(thread, "b.csv", b"two\n")
        events = await thread.run("$ ls uploads", upload)
        assert [notice["code"] for notice in of(events, "notice")] == ["uploads_waiting"]
        assert of(events, "tool.finished")[0]["command"]["exit_code"] == 2
    finally:
        emptied = await thread.exec("rm large")
    assert emptied["workspace_full"] is False
    # The call that emptied it had no room for them before it began.
    events = await thread.run("$ cat uploads/b.csv")
    assert [notice["code"] for notice in of(events, "notice")] == ["uploads_delivered"]
    assert of(events, "tool.finished")[0]["text"] == "two\n"


async def test_a_person_moves_removes_and_puts_files_while_the_computer_runs(thread: Thread) -> None:
    person = thread.person
    await thread.exec("mkdir -p data/old; echo 1 > data/a.csv; ln -s /etc data/etc")
    await person.get("/api/files?path=data")
    placed = await moved(person, "data/a.csv", "data/old/b.csv")
    assert placed == {"path": "data/old/b.csv"}
    there = await moved(person, "data/old/b.csv", "data/etc", expect=422)
    assert there["code"] == "invalid_request"
    for path in ("../x", "/etc/passwd", "data/etc/passwd"):
        refused = await removed(person, path, expect=400)
        assert refused["code"] == "path_outside_workspace"
    assert (await removed(person, "data/none", expect=404))["code"] == "not_found"
    put = await put_file(person, "data/new.bin", b"\0" * 1_000_000)
    again = await put_file(person, "data/new.bin", b"")
    assert [put, again] == [{"path": "data/new.bin"}, {"path": "data/new (2).bin"}]
    await removed(person, "data/etc")
    listed = await thread.exec("cd data; find . -type f -printf '%P %s\\n' | sort; ls -d /etc/passwd")
    assert listed["output"] == "new (2).bin 0\nnew.bin 1000000\nold/b.csv 2\n/etc/passwd\n"
    await removed(person, "data")
    assert (await thread.exec("ls -A data 2>&1; true"))["output"].count("No such file") == 1


async def test_hands_on_the_files_wait_for_commands_and_wake_nothing(thread: Thread) -> None:
    person = thread.person
    asleep = [
        await moved(person, "a", "b", expect=503),
        await removed(person, "a", expect=503),
        await put_file(person, "a", b"x", expect=503),
    ]
    assert {answer["code"] for answer in asleep} == {"computer_unavailable"}
    assert (await person.get("/api/computer"))["state"] == "standby"
    await thread.exec("touch a b")
    async with thread.watched(await thread.head()) as watch:
        run = (await thread.send("$ until rm gate 2>/dev/null; do sleep 0.05; done"))["run"]
        await person.until_computer(lambda view: len(view["commands"]) == 1, "a command that runs")
        busy = await removed(person, "a", expect=409)
        assert busy["code"] == "computer_busy"
        assert len(busy["details"]["running"]) == 1
        put = await put_file(person, "gate", b"", expect=409)
        assert put["code"] == "computer_busy"
        await removed(person, "a", anyhow=True)
        await put_file(person, "gate", b"", anyhow=True)
        await watch.until(ended(run["id"]))
    assert (await thread.exec("ls"))["output"] == "b\n"


async def test_commands_of_all_threads_are_listed_with_their_ends(thread: Thread) -> None:
    person = thread.person
    assert await person.get("/api/computer/commands") == {"items": [], "more": False}
    await thread.exec("echo one; exit 3")
    other = await person.thread()
    await other.exec("echo two")
    page = await person.get("/api/computer/commands?limit=1")
    (newest,) = page["items"]
    assert page["more"]
    assert (newest["command"], newest["thread_id"], newest["over"]) == ("echo two", other.id, True)
    (first,) = (await person.get(f"/api/computer/commands?before={newest['id']}"))["items"]
    assert (first["result"]["exit_code"], first["result"]["output"]) == (3, "")
    whole = await person.get(f"/api/computer/commands/{first['id']}")
    assert whole["result"]["output"] == "one\n"
    log = whole["result"]["log_path"].removeprefix("/workspace/")
    async with person.session.get(f"/api/files/content?path={log}", headers=person.headers) as response:
        assert await response.read() == b"one\n"
    assert (await person.get("/api/computer/commands/none", expect=404))["code"] == "not_found"


async def moved(person: Person, path: str, to: str, *, expect: int = 200) -> dict[str, Any]:
    return await person.ask("PATCH", "/api/files", expect=expect, params={"path": path}, json={"to": to})


async def removed(person: Person, path: str, *, anyhow: bool = False, expect: int = 204) -> dict[str, Any]:
    params = {"path": path, "while_running": str(anyhow).lower()}
    return await person.ask("DELETE", "/api/files", expect=expect, params=params, json={})


async def put_file(
    person: Person, path: str, content: bytes, *, anyhow: bool = False, expect: int = 201
) -> dict[str, Any]:
    params = {"path": path, "while_running": str(anyhow).lower()}
    return await person.ask("PUT", "/api/files/content", expect=expect, params=params, data=content)
