"""Routes about files in R2; taking their bytes in is in `uploads.py`, serving them in `contents.py`."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from api.owner import AskedOwner
from contracts.api import ArtifactChange, ArtifactPage, UploadBegin
from contracts.limits import ARTIFACTS_A_PAGE
from contracts.records import Artifact, UnfinishedUpload, Upload

router = APIRouter(tags=["files"])


@router.post("/threads/{thread_id}/uploads/begin", response_model=UnfinishedUpload, status_code=201)
async def begin_upload(owner: AskedOwner, thread_id: str, body: UploadBegin) -> Response:
    """For a file of more than one part: each can be sent again, also after a pause of hours."""
    return await owner.answer("begin_upload", 201, thread_id=thread_id, body=body.model_dump())


@router.get("/uploads/{upload_id}", response_model=UnfinishedUpload)
async def unfinished_upload(owner: AskedOwner, upload_id: str) -> Response:
    """Which parts are there. A finished upload is no unfinished one, and so not found."""
    return await owner.answer("unfinished_upload", id=upload_id)


@router.post("/uploads/{upload_id}/finish", response_model=Upload, status_code=201)
async def finish_upload(owner: AskedOwner, upload_id: str) -> Response:
    """Make the parts an upload. Asked again, it answers with the same one."""
    return await owner.answer("finish_upload", 201, id=upload_id)


@router.delete("/uploads/{upload_id}", status_code=204)
async def give_up_upload(owner: AskedOwner, upload_id: str) -> Response:
    """Give up an unfinished upload; its parts are removed."""
    await owner.call("give_up_upload", id=upload_id)
    return Response(status_code=204)


@router.get("/artifacts", response_model=ArtifactPage)
async def artifacts(
    owner: AskedOwner,
    before: Annotated[str | None, Query(max_length=64)] = None,
    limit: Annotated[int, Query(ge=1, le=ARTIFACTS_A_PAGE)] = ARTIFACTS_A_PAGE,
) -> Any:
    """The files of all threads, newest first; `before` is the id of the last one of the page before."""
    return await owner.call("artifacts", before=before, limit=limit)


@router.get("/artifacts/{artifact_id}", response_model=Artifact)
async def artifact(owner: AskedOwner, artifact_id: str) -> Any:
    return (await owner.call("artifact", id=artifact_id))["artifact"]


@router.patch("/artifacts/{artifact_id}", response_model=Artifact)
async def rename_artifact(owner: AskedOwner, artifact_id: str, body: ArtifactChange) -> Any:
    return await owner.call("rename_artifact", id=artifact_id, body=body.model_dump())


@router.delete("/artifacts/{artifact_id}", status_code=204)
async def delete_artifact(owner: AskedOwner, artifact_id: str) -> Response:
    """The bytes go first: if anything breaks in between, it can be deleted again."""
    found = await owner.call("deletable_artifact", id=artifact_id)
    await owner.env.BUCKET.delete(found["key"])
    await owner.call("delete_artifact", id=artifact_id)
    return Response(status_code=204)
