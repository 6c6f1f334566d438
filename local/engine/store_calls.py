"""The routes of images and volumes."""

import secrets

from local.engine import views
from local.engine.calls import Call, read_filters
from local.engine.records import as_mapping, as_text, parse_name
from local.engine.volumes import Volume


async def inspect_image(call: Call) -> None:
    image = call.engine.images.inspect(call.names[0])
    await call.answer(200, {"Id": image.id, "Size": image.size, "Parent": image.parent})


async def delete_image(call: Call) -> None:
    await call.engine.images.delete(call.names[0])
    await call.answer(200, [{"Untagged": call.names[0]}])


async def pull_image(call: Call) -> None:
    call.engine.images.inspect(call.query("fromImage"))
    await call.answer(200, {"status": "The image is there"})


async def list_volumes(call: Call) -> None:
    filters = read_filters(call.query("filters"))
    listed = call.engine.volumes.listed(filters.get("name", ()))
    found = [views.volume(volume) for volume in listed if views.labelled(volume.labels, filters)]
    await call.answer(200, {"Volumes": found, "Warnings": []})


async def create_volume(call: Call) -> None:
    body = as_mapping(await call.exchange.read_json(), "body")
    labels = as_mapping(body.get("Labels") or {}, "Labels")
    texts = {key: as_text(value, "Labels") for key, value in labels.items()}
    name = parse_name(as_text(body.get("Name") or secrets.token_hex(32), "Name"))
    volume = Volume(name, texts)
    fresh = call.engine.volumes.create(volume)
    await call.answer(201 if fresh else 200, views.volume(call.engine.volumes.inspect(name)))


async def inspect_volume(call: Call) -> None:
    await call.answer(200, views.volume(call.engine.volumes.inspect(call.names[0])))


async def delete_volume(call: Call) -> None:
    await call.engine.volumes.delete(call.names[0])
    await call.answer(204)
