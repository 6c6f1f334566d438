"""Names for people and headers, uploads once, artifacts counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import BerthError, ErrorCode
from contracts.limits import ARTIFACTS_A_RUN
from durable_objects.bot_owner.files import (
    NAME_BYTES_MAX,
    PREVIEWABLE,
    clean_name,
    content_disposition,
    served_headers,
)
from durable_objects.bot_owner.models.protocol import CallPart, TextPart
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("report.csv", "report.csv"),
        ("../../other/owner.csv", "owner.csv"),
        ("a\\b\\c.txt", "c.txt"),
        ("a\r\nSet-Cookie: x", "aSet-Cookie: x"),
        ("\u202egpj.exe", "gpj.exe"),
        ("…/", "file"),
        ("", "file"),
        ("...", "file"),
        (".bashrc", "bashrc"),
        ("图表 📈.svg", "图表 📈.svg"),
        ("<img src=x onerror=alert(1)>.csv", "<img src=x onerror=alert(1)>.csv"),
    ],
)
def test_names_are_cleaned(name: str, clean: str) -> None:
    assert clean_name(name) == clean


@given(st.text(max_size=600))
def test_any_name_becomes_one_that_is_safe_and_short(name: str) -> None:
    clean = clean_name(name)
    assert 0 < len(clean.encode()) <= NAME_BYTES_MAX
    assert not set(clean) & set("/\\\r\n\0")
    header = content_disposition(clean)
    assert header.isascii()
    assert header.isprintable()


def test_a_long_name_keeps_its_ending() -> None:
    assert clean_name("数" * 300 + ".csv").endswith("数.csv")


def test_the_header_carries_both_forms_of_a_name() -> None:
    assert content_disposition('图 "1".csv') == (
        "attachment; filename=\"_ _1_.csv\"; filename*=UTF-8''%E5%9B%BE%20%221%22.csv"
    )


def upload(rig: OwnerRig, name: str = "a.csv") -> str:
    upload_id, key = rig.owner.files.new_upload_key()
    rig.owner.files.add_upload(upload_id, key, rig.thread.id, name, "text/csv", 3)
    return upload_id


def test_an_upload_is_sent_once_and_only_in_its_thread(rig: OwnerRig) -> None:
    upload_id = upload(rig)
    rig.send("here", upload_id)
    with pytest.raises(BerthError) as again:
        rig.send("again", upload_id)
    assert again.value.code == ErrorCode.NOT_FOUND
    with pytest.raises(BerthError):
        rig.owner.files.take("thr_other", [upload(rig)])


def test_a_message_that_is_refused_takes_no_upload_with_it(rig: OwnerRig) -> None:
    upload_id = upload(rig)
    with pytest.raises(BerthError):
        rig.send("x", upload_id, "upl_missing")
    assert rig.send("x", upload_id).message.uploads[0].id == upload_id


def test_keys_come_from_ids_and_never_from_names(rig: OwnerRig) -> None:
    upload_id = upload(rig, "../../x")
    rig.send("here", upload_id)
    assert [row["key"] for row in rig.owner.files.waiting()] == [f"owners/o1/uploads/{upload_id}"]


async def artifacts(rig: OwnerRig, count: int) -> list[str]:
    calls = [CallPart("computer__export_artifact", {"path": f"{n}.csv"}) for n in range(count)]
    rig.model = ScriptedModel(calls, [TextPart("done")])
    await rig.ask("go")
    return [event["id"] for event in rig.events("artifact.created")]


async def test_artifacts_are_listed_by_pages_newest_first(rig: OwnerRig) -> None:
    made = await artifacts(rig, 5)
    first, more = rig.owner.files.artifacts(None, 3)
    rest, none = rig.owner.files.artifacts(first[-1].id, 3)
    assert [found.id for found in (*first, *rest)] == sorted(made, reverse=True)
    assert (more, none) == (True, False)
    rig.owner.files.delete_artifact(first[-1].id)
    assert rig.owner.files.artifacts(first[-1].id, 3) == (rest, False)


async def test_an_artifact_is_renamed_and_its_name_cleaned(rig: OwnerRig) -> None:
    (made,) = await artifacts(rig, 1)
    assert rig.owner.files.rename_artifact(made, "../new\r\nname.csv").name == "newname.csv"
    with pytest.raises(BerthError):
        rig.owner.files.rename_artifact("art_other", "x")


async def test_a_deleted_artifact_is_gone_and_still_counts_for_its_run(rig: OwnerRig) -> None:
    made = await artifacts(rig, ARTIFACTS_A_RUN)
    run_id = rig.owner.files.artifact_row(made[0])["run_id"]
    rig.owner.files.delete_artifact(made[0])
    with pytest.raises(BerthError) as gone:
        rig.owner.files.artifact_row(made[0])
    assert gone.value.code == ErrorCode.NOT_FOUND
    assert made[0] not in [found.id for found in rig.owner.files.artifacts(None, 100)[0]]
    with pytest.raises(BerthError) as full:
        rig.owner.files.artifact_key(run_id, "art_new")
    assert full.value.code == ErrorCode.ARTIFACT_LIMIT


@pytest.mark.parametrize("media_type", sorted(PREVIEWABLE))
def test_whatever_is_shown_nothing_in_it_runs(media_type: str) -> None:
    for shown in (True, False):
        parents = ["https://a.example", "https://b.example"]
        headers = served_headers("a", media_type, '"t"', shown=shown, parents=parents)
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-disposition"].startswith("inline;" if shown else "attachment;")
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script" not in policy
        in_a_view = shown and media_type == "text/html"
        assert headers.get("cross-origin-embedder-policy") == ("require-corp" if in_a_view else None)
        framed_by = "'self' https://a.example https://b.example" if in_a_view else "'self'"
        assert policy.endswith(f"frame-ancestors {framed_by}")
        assert policy.startswith("sandbox;") or (media_type == "application/pdf" and shown)


async def test_a_picture_of_a_call_is_found_by_the_call(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([CallPart("computer__read_file", {"path": "a.png"})], [TextPart("seen")])
    await rig.ask("look")
    (finished,) = rig.events("tool.finished")
    call_id = finished["tool_call_id"]
    assert finished["picture"] == {"media_type": "image/png", "width": 3, "height": 2, "size": 4}
    assert rig.owner.record.picture(rig.thread.id, call_id) == finished["picture"]
    assert list(rig.computer.pictures) == [rig.owner.files.picture_key(call_id)]
    with pytest.raises(BerthError):
        rig.owner.record.picture(rig.thread.id, "call_other")
