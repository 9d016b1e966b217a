"""Path items of OpenAPI v3, in the words of v2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.server.openapi import parameters
from kubestage.server.openapi.v2 import schemas

if TYPE_CHECKING:
    from kubestage.aliases import Json

_SHARED: Final = {**parameters.QUERY, "namespace": parameters.NAMESPACE}
_ANY: Final = ["*/*"]
_KEPT: Final = ("description", "operationId", "tags")


def convert(item: Json) -> Json:
    """A path item."""
    return {
        key: _parameters(value) if key == "parameters" else _operation(key, value)
        for key, value in item.items()
    }


def shared() -> dict[str, Json]:
    """The parameters that operations refer to by name."""
    return {name: _parameter(each) for name, each in _SHARED.items()}


def _operation(method: str, old: Json) -> Json:
    body = old.get("requestBody")
    listed = _parameters(old.get("parameters") or [])
    if body is not None:
        listed.insert(0, _body(body))
    new: Json = {key: old[key] for key in _KEPT if key in old}
    new["consumes"] = list(body["content"]) if body and method == "patch" else _ANY
    new["produces"] = list(next(iter(old["responses"].values())).get("content") or ["*/*"])
    if listed:
        new["parameters"] = listed
    new["responses"] = {
        code: _response(each) for code, each in old["responses"].items() if code != "default"
    }
    return new | {key: each for key, each in old.items() if key.startswith("x-")}


def _response(old: Json) -> Json:
    new: Json = {"description": old["description"]}
    for content in (old.get("content") or {}).values():
        new["schema"] = schemas.reference(content["schema"])
        break
    return new


def _body(old: Json) -> Json:
    new: Json = {"name": "body", "in": "body"}
    if old.get("required"):
        new["required"] = True
    content: Any = next(iter(old["content"].values()))
    return {**new, "schema": schemas.reference(content["schema"])}


def _parameters(old: list[Json]) -> list[Json]:
    return [
        {"$ref": f"#/parameters/{each['name']}"}
        if _SHARED.get(each["name"]) == each
        else _parameter(each)
        for each in old
    ]


def _parameter(old: Json) -> Json:
    new = {key: each for key, each in old.items() if key != "schema"}
    return {**new, **old["schema"], "uniqueItems": True}
