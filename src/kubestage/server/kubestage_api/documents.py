"""What our own API says of itself: an index, and an OpenAPI document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

import kubestage
from kubestage.server.kubestage_api import endpoints

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.kubestage_api.call import Call
    from kubestage.server.kubestage_api.endpoints import Endpoint


_FORMS: Final = ("application/json", "application/yaml")
_ANY: Final = {"type": "object"}
_REFERENCE: Final = "#/components/schemas/{name}"
_STATUS: Final[Json] = {
    "description": "A refusal, as Kubernetes words it.",
    "type": "object",
    "properties": {
        "kind": {"type": "string"},
        "status": {"type": "string"},
        "message": {"type": "string"},
        "reason": {"type": "string"},
        "details": {"type": "object"},
        "code": {"type": "integer"},
    },
}


async def index(_call: Call) -> Json:
    """What is served, for a reader with curl."""
    rows = [
        {
            "method": each.method,
            "path": each.path,
            "summary": each.summary,
            "parameters": [parameter.name for parameter in each.parameters],
        }
        for each in endpoints.ALL
    ]
    return {"kubestage": kubestage.__version__, "openapi": f"{endpoints.ROOT}/openapi",
            "endpoints": rows}  # fmt: skip


async def openapi(_call: Call) -> Json:
    """The document, for programs."""
    return document()


def document() -> Json:
    """This API as an OpenAPI 3.0 document."""
    shapes = [each for row in endpoints.ALL for each in (row.body, row.answer) if each is not None]
    _, components = msgspec.json.schema_components(
        list(dict.fromkeys(shapes)), ref_template=_REFERENCE
    )
    schemas = {name: _older(schema) for name, schema in components.items()}
    paths: Json = {}
    for endpoint in endpoints.ALL:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.0.0",
        "info": {"title": "kubestage", "version": kubestage.__version__},
        "paths": paths,
        "components": {"schemas": {**schemas, "Status": _STATUS}},
    }


def _operation(endpoint: Endpoint) -> Json:
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _named(endpoint.path)
    ]
    parameters += [
        {"name": each.name, "in": "query", "description": each.description, "schema": each.schema}
        for each in endpoint.parameters
    ]
    refusal = {"description": "Refused.", "content": _content(_reference("Status"), _FORMS[:1])}
    told = _ANY if endpoint.answer is None else _reference(endpoint.answer.__name__)
    answers: Json = {
        "200": {"description": endpoint.summary, "content": _content(told)},
        "default": refusal,
    }
    if endpoint.handler == "clock:advance":
        answers["202"] = {"description": "It has yet to pass.", "content": _content(told)}
    operation: Json = {
        "operationId": _operation_id(endpoint),
        "summary": endpoint.summary,
        "parameters": parameters,
        "responses": answers,
    }
    if endpoint.body is not None:
        body = _content(_reference(endpoint.body.__name__))
        operation["requestBody"] = {"required": False, "content": body}
    elif endpoint.takes:
        body = _content(_ANY)
        operation["requestBody"] = {
            "required": True,
            "description": endpoint.takes,
            "content": body,
        }
    return operation


def _operation_id(endpoint: Endpoint) -> str:
    """A name that no other operation has: a handler may serve several methods."""
    first = next(each for each in endpoints.ALL if each.handler == endpoint.handler)
    name = endpoint.handler.replace(":", "_")
    return name if first is endpoint else f"{name}_{endpoint.method.lower()}"


def _named(path: str) -> list[str]:
    return [part[1:-1] for part in path.split("/") if part[:1] == "{"]


def _reference(name: str) -> Json:
    return {"$ref": _REFERENCE.format(name=name)}


def _content(schema: Json, forms: tuple[str, ...] = _FORMS) -> Json:
    return {form: {"schema": schema} for form in forms}


def _older(schema: Any) -> Any:
    """A schema of today in the words of OpenAPI 3.0: null is a flag, limits are two fields."""
    if isinstance(schema, list):
        return [_older(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: _older(value) for name, value in schema.items()}
    choices = kept.get("anyOf")
    if choices and {"type": "null"} in choices:
        others = [each for each in choices if each != {"type": "null"}]
        del kept["anyOf"]
        kept |= {**others[0], "nullable": True} if len(others) == 1 else {"anyOf": others}
    if isinstance(kept.get("enum"), list) and None in kept["enum"]:
        kept |= {"enum": [each for each in kept["enum"] if each is not None], "nullable": True}
    if not isinstance(kept.get("exclusiveMinimum", True), bool):
        kept |= {"minimum": kept["exclusiveMinimum"], "exclusiveMinimum": True}
    return kept
