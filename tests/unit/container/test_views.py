"""Pictures and documents: what a model is shown of files that are no text."""

import io
import json
import os
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import quote, unquote

import pytest

from computerd import limits
from computerd.document import NoTextError
from computerd.document import main as document
from computerd.picture import NoPictureError, measure
from computerd.picture import main as picture
from tests.unit.container.computer import PYTHON, SERVICE, Answer, Computer
from tests.unit.container.samples import pdf, png, png_of_zeros, zipped

_PILLOW = (
    subprocess.run([PYTHON, "-I", "-c", "import PIL.Image"], check=False, capture_output=True).returncode == 0
)
needs_pillow = pytest.mark.skipif(not _PILLOW, reason="Pillow is not installed for /usr/bin/python3")
needs_pdftotext = pytest.mark.skipif(not shutil.which("pdftotext"), reason="pdftotext is not installed")

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def shown(computer: Computer, path: str) -> Answer:
    return computer.call("GET", f"/files/picture?path={quote(path)}")


def test_a_picture_is_named_as_one(computer: Computer) -> None:
    (computer.workspace / "p.png").write_bytes(png(30, 20))
    answer = computer.read("p.png").json
    assert answer == {"kind": "picture", "media_type": "image/png", "size": len(png(30, 20))}


@pytest.mark.parametrize("name", ["p.png", "it's a % [0] 图.png"])
def test_a_small_picture_is_shown_with_its_size(computer: Computer, name: str) -> None:
    (computer.workspace / name).write_bytes(png(30, 20))
    answer = shown(computer, name)
    assert (answer.status, answer.body[:4]) == (200, b"\x89PNG")
    assert json.loads(unquote(answer.headers["X-Berth-Picture"])) == {
        "media_type": "image/png",
        "shown_width": 30,
        "shown_height": 20,
        "width": 30,
        "height": 20,
    }
    assert not list((computer.workspace / ".berth/tmp").iterdir())
    assert not [log for log in os.listdir(computer.workspace / ".berth/logs") if log.startswith("view")]


def test_what_only_begins_as_a_picture_is_refused(computer: Computer) -> None:
    (computer.workspace / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"x" * 40)
    answer = shown(computer, "broken.png")
    assert (answer.status, answer.json["code"]) == (415, "binary_file")
    assert shown(computer, "nowhere.png").status in (404, 415)
    assert shown(computer, "../p.png").json["code"] == "path_outside_workspace"


def test_without_pillow_a_picture_over_the_edge_is_only_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    source, target = tmp_path / "s", tmp_path / "t"
    edge = limits.PICTURE_EDGE
    source.write_bytes(png(edge, 1))
    assert picture(str(source), str(target), edge, limits.PICTURE_BYTES)["width"] == edge
    source.write_bytes(png(edge + 1, 1))
    with pytest.raises(NoPictureError, match="without Pillow, which is not installed"):
        picture(str(source), str(target), edge, limits.PICTURE_BYTES)


@needs_pillow
def test_a_large_picture_comes_back_small_enough_to_look_at(computer: Computer) -> None:
    (computer.workspace / "large.png").write_bytes(png(4000, 2000))
    answer = shown(computer, "large.png")
    said = json.loads(unquote(answer.headers["X-Berth-Picture"]))
    assert (said["width"], said["height"]) == (4000, 2000)
    assert (said["shown_width"], said["shown_height"]) == (limits.PICTURE_EDGE, limits.PICTURE_EDGE // 2)
    assert measure(io.BytesIO(answer.body)) == ("image/png", limits.PICTURE_EDGE, limits.PICTURE_EDGE // 2)


@needs_pillow
def test_a_picture_of_noise_is_kept_below_the_size_that_goes_to_a_model(computer: Computer) -> None:
    (computer.workspace / "noise.png").write_bytes(png(1600, 1600, noise=True))
    answer = shown(computer, "noise.png")
    said = json.loads(unquote(answer.headers["X-Berth-Picture"]))
    assert said["media_type"] == "image/jpeg"
    assert measure(io.BytesIO(answer.body)) == ("image/jpeg", limits.PICTURE_EDGE, limits.PICTURE_EDGE)
    assert len(answer.body) <= limits.PICTURE_BYTES


@needs_pillow
def test_a_picture_that_unpacks_without_measure_is_refused_before_it_is_unpacked(computer: Computer) -> None:
    (computer.workspace / "bomb.png").write_bytes(png_of_zeros(60_000, 60_000))
    answer = shown(computer, "bomb.png")
    assert (answer.status, answer.json["code"]) == (415, "binary_file")
    assert answer.json["message"].endswith("more pixels than can be looked at.")


@needs_pillow
@pytest.mark.parametrize("cut", [40, 200])
def test_a_picture_that_breaks_off_is_refused(computer: Computer, cut: int) -> None:
    (computer.workspace / "cut.png").write_bytes(png(300, 300, noise=True)[:-cut])
    whole = shown(computer, "cut.png")
    assert (whole.status, whole.json["code"]) == (415, "binary_file")
    assert "cannot be decoded" in whole.json["message"]


def test_a_bomb_is_refused_in_little_memory(tmp_path: Path) -> None:
    """Neither the zeros of a part nor elements without end are held at once."""
    deep = tmp_path / "deep.docx"
    zipped(deep, **{"word/document.xml": "<w>" * (16 * 1024 * 1024)})
    zeros = tmp_path / "zeros.xlsx"
    with (
        zipfile.ZipFile(zeros, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part,
    ):
        for _ in range(512):
            part.write(bytes(1024 * 1024))
    for path, said in ((deep, "nested too deeply"), (zeros, "too large")):
        kind = path.suffix[1:]
        script = f"ulimit -v 300000; exec {PYTHON} -I {SERVICE}/document.py {kind} {path} {tmp_path}/out"
        done = subprocess.run(["bash", "-c", script], check=False, capture_output=True, text=True)
        assert done.returncode == 1
        assert said in done.stderr, done.stderr[-300:]
        assert "Traceback" not in done.stderr


@needs_pdftotext
def test_a_pdf_is_read_by_pages(computer: Computer) -> None:
    (computer.workspace / "it's a [1].pdf").write_bytes(
        pdf("First line\nSecond line", "", "On the third page")
    )
    answer = computer.read("it's a [1].pdf").json
    assert (answer["kind"], answer["media_type"]) == ("document", "application/pdf")
    lines = [line[7:].strip() for line in answer["text"].splitlines()]
    assert [line for line in lines if line] == [
        "[page 1]",
        "First line",
        "Second line",
        "[page 3]",
        "On the third page",
    ]
    assert not list((computer.workspace / ".berth/tmp").iterdir())


@needs_pdftotext
def test_a_window_of_a_pdf_is_read(computer: Computer) -> None:
    (computer.workspace / "long.pdf").write_bytes(pdf(*[f"page number {n}" for n in range(1, 301)]))
    answer = computer.read("long.pdf", offset=1, limit=4).json
    assert "page number 1" in answer["text"]
    assert "page number 300" not in answer["text"]
    assert answer["total_lines"] >= 600
    assert answer["more_from_line"] == 5


@needs_pdftotext
@pytest.mark.parametrize(
    ("data", "note"),
    [
        (pdf("", ""), "no text; its pages may be pictures"),
        (b"%PDF-1.4\n" + b"no more than this\n" * 50, "trailer"),
        (pdf("Some text")[:120], "Error"),
    ],
)
def test_a_pdf_without_text_or_a_broken_one_is_described_with_the_reason(
    computer: Computer, data: bytes, note: str
) -> None:
    (computer.workspace / "b.pdf").write_bytes(data)
    answer = computer.read("b.pdf").json
    assert (answer["kind"], answer["size"]) == ("binary", len(data))
    assert note in answer["note"]


@needs_pdftotext
def test_a_pdf_of_too_much_text_is_shown_up_to_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("computerd.document._TEXT_CHARACTERS", 100_000)
    source, target = tmp_path / "s.pdf", tmp_path / "t"
    source.write_bytes(pdf(*["\n".join(["word " * 20] * 50)] * 100))
    document("pdf", str(source), str(target))
    text = target.read_text()
    assert 100_000 <= len(text) < 200_000
    assert text.endswith("[the text is longer than what is shown of it]\n")


def test_without_pdftotext_that_is_what_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoTextError, match="pdftotext is not installed here"):
        document("pdf", str(tmp_path / "s"), str(tmp_path / "t"))


def test_a_document_that_is_swapped_for_a_link_out_of_the_workspace_is_not_read(
    computer: Computer, tmp_path: Path
) -> None:
    outside, inside = tmp_path / "outside.docx", computer.workspace / "swap.docx"
    for path, word in ((outside, "never to be seen"), (computer.workspace / "fine.docx", "fine")):
        text = f'<w:document xmlns:w="{W}"><w:p><w:t>{word}</w:t></w:p></w:document>'
        zipped(path, **{"word/document.xml": text})
    swap = (
        f"while [ ! -e swapped ]; do ln -sfn {outside} next; mv -T next swap.docx; sleep 0.001;"
        " ln -f fine.docx next; mv -T next swap.docx; sleep 0.001; done"
    )
    inside.write_bytes((computer.workspace / "fine.docx").read_bytes())
    swapping = computer.open(swap)
    assert next(swapping)["type"] == "started"
    seen: set[str] = set()
    try:
        # On a busy machine the right one may be met late.
        for number in range(1_000):
            if number >= 60 and any("fine" in one for one in seen):
                break
            answer = computer.read("swap.docx").json
            assert "never to be seen" not in str(answer)
            seen.add(answer.get("code") or answer.get("note") or answer["text"])
    finally:
        (computer.workspace / "swapped").touch()
        list(swapping)
    assert any("fine" in one for one in seen)


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (png(7, 5), ("image/png", 7, 5)),
        (b"GIF89a" + struct.pack("<HH", 7, 5) + b"\0" * 30, ("image/gif", 7, 5)),
        (b"RIFF\0\0\0\0WEBPVP8X" + b"\0" * 8 + b"\6\0\0\4\0\0" + b"\0" * 9, ("image/webp", 7, 5)),
        (
            b"\xff\xd8\xff\xe0\0\4ab\xff\xc0\0\x11\x08" + struct.pack(">HH", 5, 7) + b"\0" * 20,
            ("image/jpeg", 7, 5),
        ),
        (b"\xff\xd8\xff\xe0\0\4ab", ("image/jpeg", 0, 0)),
        (b"\xff\xd8\xff\xc0", ("image/jpeg", 0, 0)),
        (b"\xff\xd8\xff\xc0\0\x11", ("image/jpeg", 0, 0)),
        (b"", ("application/octet-stream", 0, 0)),
    ],
)
def test_sizes_are_read_from_heads(tmp_path: Path, data: bytes, size: tuple[str, int, int]) -> None:
    (tmp_path / "p").write_bytes(data)
    with (tmp_path / "p").open("rb") as file:
        assert measure(file) == size


def test_a_text_document_is_read_by_paragraphs(computer: Computer) -> None:
    body = "<w:p><w:r><w:t>One</w:t><w:tab/><w:t>two</w:t></w:r></w:p><w:p><w:r><w:t>数</w:t></w:r></w:p>"
    document = f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
    zipped(computer.workspace / "d.docx", **{"word/document.xml": document})
    answer = computer.read("d.docx").json
    assert (answer["kind"], answer["text"]) == ("document", "     1\tOne\ttwo\n     2\t数\n")
    assert (answer["total_lines"], answer["more_from_line"]) == (2, None)


def test_a_sheet_is_read_by_rows(computer: Computer) -> None:
    cells = '<c r="A1" t="s"><v>0</v></c><c r="C1"><v>2.5</v></c><c t="inlineStr"><is><t>in</t></is></c>'
    zipped(
        computer.workspace / "s.xlsx",
        **{
            "xl/sharedStrings.xml": f'<sst xmlns="{S}"><si><t>na</t><t>me</t></si></sst>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{S}"><row>{cells}</row></worksheet>',
            "xl/worksheets/sheet10.xml": "<worksheet/>",
            "xl/worksheets/sheet2.xml": "<worksheet><row><c t='s'><v>9</v></c></row></worksheet>",
        },
    )
    text = computer.read("s.xlsx").json["text"]
    lines = [line[7:] for line in text.splitlines()]
    assert lines == ["[sheet 1]", "name\t\t2.5\tin", "[sheet 2]", "", "[sheet 3]"]


def test_slides_and_open_documents_are_read(computer: Computer) -> None:
    slide = '<s xmlns:a="x"><a:p><a:r><a:t>Title</a:t></a:r></a:p></s>'
    zipped(computer.workspace / "p.pptx", **{"ppt/slides/slide1.xml": slide})
    assert computer.read("p.pptx").json["text"] == "     1\t[slide 1]\n     2\tTitle\n"
    path = computer.workspace / "o.odt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", '<d xmlns:t="x"><t:h>Head</t:h><t:p>a <t:s>b</t:s></t:p></d>')
    assert computer.read("o.odt").json["text"] == "     1\tHead\n     2\ta b\n"


def test_a_document_that_is_none_is_described_with_the_reason(computer: Computer) -> None:
    (computer.workspace / "x.docx").write_bytes(b"PK\x03\x04 no zip")
    answer = computer.read("x.docx").json
    assert (answer["kind"], answer["size"]) == ("binary", 11)
    assert "no whole docx" in answer["note"]
    zipped(computer.workspace / "y.docx", **{"word/other.xml": "<x/>"})
    assert "no whole docx" in computer.read("y.docx").json["note"]


def test_a_document_that_grows_without_end_is_given_up(computer: Computer) -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE d [<!ENTITY e0 "x">{entities}]><d><p><t>&e11;</t></p></d>'
    zipped(computer.workspace / "bomb.docx", **{"word/document.xml": bomb})
    assert computer.read("bomb.docx").json["kind"] == "binary"
    zipped(computer.workspace / "zeros.docx", **{"word/document.xml": " " * (65 * 1024 * 1024)})
    assert "too large" in computer.read("zeros.docx").json["note"]
