"""Files in and out: uploads, artifacts, and who may have them."""

import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from computerd.picture import measure
from contracts.limits import ARTIFACT_BYTES_MAX, UPLOAD_BYTES_MAX
from local.launcher.requirements import PILLOW, POPPLER
from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, of
from tests.unit.container.samples import pdf, png, png_of_zeros, zipped

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><circle r="5"/></svg>'


async def exported(thread: Thread, path: str) -> dict[str, object]:
    (artifact,) = of(await thread.run(f"/export {path}"), "artifact.created")
    return artifact


async def test_a_file_comes_back_as_it_was(thread: Thread) -> None:
    content = bytes(range(256)) * 4_000
    upload_id = await thread.person.upload(thread, "data.bin", content, "application/octet-stream")
    events = await thread.run("$ cp uploads/data.bin copy.bin", upload_id)
    assert of(events, "notice")[0]["uploads"][0]["path"] == "/workspace/uploads/data.bin"
    artifact = await exported(thread, "copy.bin")
    assert artifact["sha256"] == hashlib.sha256(content).hexdigest()
    async with thread.person.session.get(
        f"/api/artifacts/{artifact['id']}/content", headers=thread.person.headers
    ) as response:
        assert await response.read() == content


async def test_two_uploads_of_one_name_are_both_kept(thread: Thread) -> None:
    ids = [await thread.person.upload(thread, "../图 1.csv", text) for text in (b"one\n", b"two\n")]
    events = await thread.run("$ sort uploads/*; ls uploads", *ids)
    assert of(events, "tool.finished")[0]["text"] == "one\ntwo\n图 1 (2).csv\n图 1.csv\n"


async def test_an_artifact_can_never_run_as_a_page(thread: Thread) -> None:
    await thread.run(f"/write a.svg\n{SVG}")
    artifact = await exported(thread, "a.svg")
    for query, media_type, disposition in (
        ("", "application/octet-stream", "attachment"),
        ("?preview=1", "image/svg+xml", "inline"),
    ):
        async with thread.person.session.get(
            f"/api/artifacts/{artifact['id']}/content{query}", headers=thread.person.headers
        ) as response:
            assert response.headers["content-type"] == media_type
            assert response.headers["content-disposition"].startswith(disposition)
            assert response.headers["content-security-policy"].startswith("sandbox;")
            assert response.headers["x-content-type-options"] == "nosniff"


async def test_html_is_shown_only_where_nothing_in_it_runs(thread: Thread) -> None:
    await thread.run("/write page.html\n<html><script>alert(1)</script></html>")
    artifact = await exported(thread, "page.html")
    for query, media_type in (("?preview=1", "text/html"), ("", "application/octet-stream")):
        async with thread.person.session.get(
            f"/api/artifacts/{artifact['id']}/content{query}", headers=thread.person.headers
        ) as response:
            assert response.headers["content-type"].split(";")[0] == media_type
            assert response.headers["content-security-policy"].startswith("sandbox; default-src 'none';")
            assert response.headers["x-content-type-options"] == "nosniff"


async def test_bytes_do_not_become_a_page_by_their_name(thread: Thread) -> None:
    await thread.exec("printf '<html><script>1</script>' > a.png; cp a.png a.txt; cp a.png a.pdf")
    for name in ("a.png", "a.txt", "a.pdf"):
        assert (await exported(thread, name))["media_type"] == "text/plain"


async def test_a_part_of_a_file_is_served(thread: Thread) -> None:
    await thread.run("/write digits.txt\n0123456789")
    artifact = await exported(thread, "digits.txt")
    path = f"/api/artifacts/{artifact['id']}/content"
    for sent, status, body in (
        ({"range": "bytes=2-4"}, 206, b"234"),
        ({"range": "bytes=-3"}, 206, b"89\n"),
        ({"range": "bytes=11-"}, 416, b""),
        ({}, 200, b"0123456789\n"),
        ({"if-none-match": f'"{artifact["sha256"]}"'}, 304, b""),
    ):
        async with thread.person.session.get(path, headers={**thread.person.headers, **sent}) as response:
            assert (response.status, await response.read()) == (status, body)
            assert response.headers["etag"] == f'"{artifact["sha256"]}"'
            assert status not in {200, 206} or response.headers["content-length"] == str(len(body))
    async with thread.person.session.head(path, headers=thread.person.headers) as response:
        assert (response.status, response.headers["content-length"]) == (200, "11")


async def test_artifacts_are_listed_renamed_and_deleted_over_threads(thread: Thread) -> None:
    person = thread.person
    other = await person.thread()
    for here, name in ((thread, "one.txt"), (other, "two.txt")):
        await here.run(f"/write {name}\n{name}")
        await exported(here, name)
    listed = (await person.get("/api/artifacts"))["items"]
    assert [item["name"] for item in listed] == ["two.txt", "one.txt"]
    path = f"/api/artifacts/{listed[1]['id']}"
    renamed = await person.ask("PATCH", path, expect=200, json={"name": "../1.txt"})
    assert renamed["name"] == "1.txt"
    await person.ask("DELETE", path, expect=204, json={})
    for method, where in (("GET", path), ("GET", f"{path}/content"), ("DELETE", path)):
        answer = await person.ask(method, where, expect=404)
        assert answer["code"] == "not_found"
    page = await person.get("/api/artifacts?limit=1")
    assert ([item["name"] for item in page["items"]], page["more"]) == (["two.txt"], False)


async def test_an_edit_shows_its_diff(thread: Thread) -> None:
    await thread.run("/write a.py\na = 1\nb = 2")
    (finished,) = of(await thread.run("/edit a.py\nb = 2\n====\nb = 3\nc = 4"), "tool.finished")
    assert finished["text"].endswith(" a = 1\n-b = 2\n+b = 3\n+c = 4\n")
    assert (finished["change"]["added"], finished["change"]["removed"]) == (2, 1)
    (missed,) = of(await thread.run("/edit a.py\nb = 2\n====\nx"), "tool.finished")
    assert missed["error"]["code"] == "edit_no_match"
    (again,) = of(await thread.run("/write a.py\na = 1\n"), "tool.finished")
    assert (again["change"]["created"], again["change"]["removed"]) == (False, 2)


async def test_a_picture_that_was_read_is_there_to_see(thread: Thread) -> None:
    await thread.exec(
        "python3 -c \"import base64; open('dot.png','wb').write(base64.b64decode('" + DOT + "'))\""
    )
    (finished,) = of(await thread.run("/read dot.png"), "tool.finished")
    assert finished["text"].startswith("A picture: image/png, 1 x 1 pixels")
    path = f"/api/pictures/{finished['tool_call_id']}/content"
    async with thread.person.session.get(path, headers=thread.person.headers) as response:
        assert (response.status, response.headers["content-type"]) == (200, "image/png")
        assert (await response.read()).startswith(b"\x89PNG")
    async with Person.at(thread.person.stack) as stranger:
        await stranger.get(path, expect=404)


async def test_long_lines_are_read_in_several_goes(thread: Thread) -> None:
    await thread.exec(
        "yes 数 | tr -d '\\n' | head -c 4500 > line; for i in $(seq 2000); do cat line; echo; done > long"
    )
    (finished,) = of(await thread.run("/read long"), "tool.finished")
    assert finished["ok"], finished["error"]
    assert finished["text"].endswith("(more from line 267)")


async def test_what_is_no_text_is_described(thread: Thread) -> None:
    await thread.exec("head -c 3000 /dev/urandom > noise.bin")
    (finished,) = of(await thread.run("/read noise.bin"), "tool.finished")
    assert finished["ok"]
    assert finished["text"].startswith("This is no text: application/octet-stream, 3,000 bytes, SHA-256 ")


async def test_a_name_that_would_break_a_header_does_not(thread: Thread) -> None:
    await thread.exec("printf x > $'a\\r\\nSet-Cookie: x.txt'")
    events = await thread.run("/export a\r\nSet-Cookie: x.txt")
    assert of(events, "artifact.created") == []
    await thread.exec("mv a* b.txt")
    await thread.run("/export b.txt")


async def test_an_artifact_at_the_limit_and_one_past_it(thread: Thread) -> None:
    await thread.exec(f"truncate -s {ARTIFACT_BYTES_MAX} max; truncate -s {ARTIFACT_BYTES_MAX + 1} over")
    assert (await exported(thread, "max"))["size"] == ARTIFACT_BYTES_MAX
    (finished,) = of(await thread.run("/export over"), "tool.finished")
    assert finished["error"]["code"] == "artifact_too_large"


async def test_an_empty_file_is_an_artifact_too_and_the_next_export_works(thread: Thread) -> None:
    await thread.exec("touch empty; echo hi > full")
    empty = await exported(thread, "empty")
    assert empty["sha256"] == hashlib.sha256().hexdigest()
    async with thread.person.session.get(
        f"/api/artifacts/{empty['id']}/content", headers=thread.person.headers
    ) as response:
        assert (response.status, await response.read()) == (200, b"")
    assert (await exported(thread, "full"))["size"] == 3


async def test_an_upload_at_the_limit_and_one_past_it(thread: Thread) -> None:
    await thread.person.upload(thread, "max", b"\0" * UPLOAD_BYTES_MAX)
    answer = await thread.person.ask(
        "POST",
        f"/api/threads/{thread.id}/uploads",
        expect=413,
        params={"name": "over"},
        data=io.BytesIO(b"\0" * (UPLOAD_BYTES_MAX + 1)),
    )
    assert answer["code"] == "upload_too_large"


async def test_an_empty_upload_is_one_too(thread: Thread) -> None:
    upload_id = await thread.person.upload(thread, "empty", b"")
    events = await thread.run("$ stat -c %s uploads/empty", upload_id)
    assert of(events, "tool.finished")[0]["text"] == "0\n"


async def test_an_upload_without_a_name_or_a_thread_is_refused(thread: Thread) -> None:
    here = f"/api/threads/{thread.id}/uploads"
    for path, status in (
        (here, 422),
        (f"{here}?name={'n' * 1001}", 422),
        ("/api/threads/no/uploads?name=a", 404),
    ):
        await thread.person.ask("POST", path, expect=status, data=io.BytesIO(b"x" * 100_000))


async def test_a_page_of_another_address_cannot_upload(thread: Thread) -> None:
    path = f"/api/threads/{thread.id}/uploads?name=a"
    headers = {"origin": "https://elsewhere.invalid"}
    answer = await thread.person.ask("POST", path, expect=403, data=io.BytesIO(b"x"), headers=headers)
    assert answer["code"] == "forbidden"


async def test_an_upload_is_served_to_its_owner_only(thread: Thread, stack: LocalStack) -> None:
    upload_id = await thread.person.upload(thread, "a.csv", b"x,y\n")
    path = f"/api/uploads/{upload_id}/content"
    async with thread.person.session.get(path, headers=thread.person.headers) as response:
        assert await response.read() == b"x,y\n"
        assert response.headers["content-disposition"].startswith('attachment; filename="a.csv"')
    async with Person.at(stack) as other:
        await other.get(path, expect=404)


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../etc/passwd", "link", "/proc/self/environ", "/workspace-evil/x"]
)
async def test_nothing_outside_the_workspace_is_exported(thread: Thread, path: str) -> None:
    await thread.exec("ln -sf /etc/passwd link")
    (finished,) = of(await thread.run(f"/export {path}"), "tool.finished")
    assert finished["error"]["code"] in {"path_outside_workspace", "not_found"}


async def test_what_one_owner_has_does_not_exist_for_another(thread: Thread, stack: LocalStack) -> None:
    await thread.run("/write secret.txt\nmine")
    artifact = await exported(thread, "secret.txt")
    async with Person.at(stack) as other:
        for path in (
            f"/api/artifacts/{artifact['id']}",
            f"/api/artifacts/{artifact['id']}/content",
            f"/api/threads/{thread.id}",
            f"/api/threads/{thread.id}/events",
            f"/api/threads/{thread.id}/stream",
        ):
            async with other.session.get(path, headers=other.headers) as response:
                assert response.status == 404
        assert (await other.get("/api/threads"))["items"] == []


async def test_downloading_and_uploading_do_not_wake_the_computer(thread: Thread) -> None:
    await thread.run("/write a.txt\nx")
    artifact = await exported(thread, "a.txt")
    assert (await thread.person.post("/api/computer/standby"))["state"] == "standby"
    await thread.person.upload(thread, "b.txt", b"later")
    await thread.person.get(f"/api/artifacts/{artifact['id']}")
    async with thread.person.session.get(
        f"/api/artifacts/{artifact['id']}/content", headers=thread.person.headers
    ) as response:
        assert await response.read() == b"x\n"
    assert (await thread.person.get("/api/computer"))["state"] == "standby"


@pytest.mark.skipif(not PILLOW.present(), reason=PILLOW.cure)
async def test_a_large_picture_is_read_made_small_and_a_bomb_is_refused(thread: Thread) -> None:
    ids = [
        await thread.person.upload(thread, "large.png", png(3136, 1000), "image/png"),
        await thread.person.upload(thread, "bomb.png", png_of_zeros(60_000, 60_000), "image/png"),
    ]
    read = of(await thread.run("/read uploads/large.png\n/read uploads/bomb.png", *ids), "tool.finished")
    assert "image/png, 3136 x 1000 pixels" in read[0]["text"]
    assert read[0]["text"].endswith("; shown at 1568 x 500.")
    path = f"/api/pictures/{read[0]['tool_call_id']}/content"
    async with thread.person.session.get(path, headers=thread.person.headers) as response:
        assert measure(io.BytesIO(await response.read())) == ("image/png", 1568, 500)
    assert read[1]["error"]["code"] == "binary_file"
    assert "more pixels than can be looked at" in read[1]["error"]["message"]


@pytest.mark.skipif(not POPPLER.present(), reason=POPPLER.cure)
async def test_the_text_of_a_pdf_is_read_and_exports_as_one(thread: Thread) -> None:
    content = pdf("What it says", "And more")
    upload_id = await thread.person.upload(thread, "报告.pdf", content, "application/pdf")
    broken = await thread.person.upload(thread, "broken.pdf", content[:100], "application/pdf")
    lines = "/read uploads/报告.pdf\n/read uploads/broken.pdf\n/export uploads/报告.pdf"
    events = await thread.run(lines, upload_id, broken)
    read = of(events, "tool.finished")
    said = ("[page 1]", "What it says", "[page 2]", "And more")
    assert all(words in read[0]["text"] for words in said)
    assert read[0]["text"].endswith(f"(the text of application/pdf, {len(content):,} bytes)")
    assert read[1]["text"].startswith("This is no text: application/pdf, 100 bytes")
    (artifact,) = of(events, "artifact.created")
    assert (artifact["media_type"], artifact["size"]) == ("application/pdf", len(content))


async def test_the_text_of_office_documents_is_read_and_a_bomb_is_refused(
    thread: Thread, tmp_path: Path
) -> None:
    cells = '<c r="A1"><v>7</v></c><c r="C1" t="inlineStr"><is><t>seven</t></is></c>'
    parts = {
        "a.docx": ("word/document.xml", "<d><p><t>A paragraph</t></p></d>"),
        "a.xlsx": ("xl/worksheets/sheet1.xml", f"<w><row>{cells}</row></w>"),
        "bomb.docx": ("word/document.xml", "<p>" * 5_000_000),
        "zeros.docx": ("word/document.xml", " " * (65 * 1024 * 1024)),
    }
    ids = []
    for name, (part, xml) in parts.items():
        zipped(tmp_path / name, **{part: xml})
        ids.append(await thread.person.upload(thread, name, (tmp_path / name).read_bytes()))
    with zipfile.ZipFile(tmp_path / "a.odt", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", '<d xmlns:t="x"><t:p>Open text</t:p></d>')
    ids.append(await thread.person.upload(thread, "a.odt", (tmp_path / "a.odt").read_bytes()))
    lines = "\n".join(f"/read uploads/{name}" for name in [*parts, "a.odt"])
    read = of(await thread.run(lines, *ids), "tool.finished")
    said = ("A paragraph", "7\t\tseven", "nested too deeply", "too large", "Open text")
    for finished, words in zip(read, said, strict=True):
        assert words in finished["text"], finished
