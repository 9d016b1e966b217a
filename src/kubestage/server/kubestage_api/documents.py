"""How the kubestage API describes itself: an index, and an OpenAPI document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

import kubestage
from kubestage.server.kubestage_api import routes

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.kubestage_api.call import ApiCall
    from kubestage.server.kubestage_api.route import Route


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


async def index(_call: ApiCall) -> Json:
    """What is served, for a reader with curl."""
    rows = [
        {
            "method": each.method,
            "path": each.path,
            "summary": each.summary,
            "parameters": [parameter.name for parameter in each.parameters],
        }
        for each in routes.ROUTES
    ]
    return {"kubestage": kubestage.__version__, "openapi": f"{routes.ROOT}/openapi",
            "endpoints": rows}  # fmt: skip


async def openapi(_call: ApiCall) -> Json:
    """The document, for programs."""
    return document()


def document() -> Json:
    """This API as an OpenAPI 3.0 document."""
    shapes = [
        each for row in routes.ROUTES for each in (row.body, row.response) if each is not None
    ]
    _, components = msgspec.json.schema_components(
        list(dict.fromkeys(shapes)), ref_template=_REFERENCE
    )
    schemas = {name: _openapi_3_0(schema) for name, schema in components.items()}
    paths: Json = {}
    for route in routes.ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.0.0",
        "info": {"title": "kubestage", "version": kubestage.__version__},
        "paths": paths,
        "components": {"schemas": {**schemas, "Status": _STATUS}},
    }


def _operation(route: Route) -> Json:
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _named(route.path)
    ]
    parameters += [
        {"name": each.name, "in": "query", "description": each.description, "schema": each.schema}
        for each in route.parameters
    ]
    refusal = {"description": "Refused.", "content": _content(_reference("Status"), _FORMS[:1])}
    shape = _ANY if route.response is None else _reference(route.response.__name__)
    responses: Json = {
        "201" if route.created else "200": {
            "description": route.summary,
            "content": _content(shape),
        },
        "default": refusal,
    }
    if route.accepted:
        responses["202"] = {"description": route.accepted, "content": _content(shape)}
    operation: Json = {
        "operationId": _operation_id(route),
        "summary": route.summary,
        "parameters": parameters,
        "responses": responses,
    }
    if route.body is not None:
        body = _content(_reference(route.body.__name__))
        operation["requestBody"] = {"required": False, "content": body}
    elif route.body_description:
        body = _content(_ANY)
        operation["requestBody"] = {
            "required": True,
            "description": route.body_description,
            "content": body,
        }
    return operation


def _operation_id(route: Route) -> str:
    """A name that no other operation has: a handler may serve several methods."""
    name = route.handler_name
    first = next(each for each in routes.ROUTES if each.handler_name == name)
    return name if first is route else f"{name}_{route.method.lower()}"


def _named(path: str) -> list[str]:
    return [part[1:-1] for part in path.split("/") if part[:1] == "{"]


def _reference(name: str) -> Json:
    return {"$ref": _REFERENCE.format(name=name)}


def _content(schema: Json, forms: tuple[str, ...] = _FORMS) -> Json:
    return {form: {"schema": schema} for form in forms}


def _openapi_3_0(schema: Any) -> Any:
    """A schema of today in the words of OpenAPI 3.0: null is a flag, limits are two fields."""
    if isinstance(schema, list):
        return [_openapi_3_0(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    converted = {name: _openapi_3_0(value) for name, value in schema.items()}
    choices = converted.get("anyOf")
    if choices and {"type": "null"} in choices:
        alternatives = [each for each in choices if each != {"type": "null"}]
        del converted["anyOf"]
        converted |= (
            {**alternatives[0], "nullable": True}
            if len(alternatives) == 1
            else {"anyOf": alternatives}
        )
    if isinstance(converted.get("enum"), list) and None in converted["enum"]:
        converted |= {
            "enum": [each for each in converted["enum"] if each is not None],
            "nullable": True,
        }
    if not isinstance(converted.get("exclusiveMinimum", True), bool):
        converted |= {"minimum": converted["exclusiveMinimum"], "exclusiveMinimum": True}
    return converted
