"""One operation of a document: what it takes, what it answers, and which kind it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.server.openapi import parameters

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.openapi.components import SchemaComponents


METHODS: Final = {
    "create": "post",
    "delete": "delete",
    "deletecollection": "delete",
    "get": "get",
    "list": "get",
    "patch": "patch",
    "update": "put",
}
_ACTIONS: Final = {"create": "post", "update": "put"}
_NAMES: Final = {"get": "read", "update": "replace"}
_TEXTS: Final = {
    "create": "Create a {}.",
    "delete": "Delete a {}.",
    "deletecollection": "Delete several objects of kind {}.",
    "get": "Read a {}.",
    "list": "List or watch objects of kind {}.",
    "patch": "Change a {} in part.",
    "update": "Replace a {}.",
}
_WRITTEN: Final = {
    "create": ("200", "201", "202"),
    "update": ("200", "201"),
    "patch": ("200", "201"),
}
_ANSWERS: Final = {"200": "OK", "201": "Created", "202": "Accepted"}
_PATCHES: Final = (
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
)
_STRATEGIC: Final = "application/strategic-merge-patch+json"
_PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
_STREAMS: Final = ("attach", "exec", "log", "portforward", "proxy")


class OperationTarget(NamedTuple):
    """What an operation is about: a kind, perhaps of a part of another one's objects."""

    group: str
    version: str
    kind: str
    # Under which path it is served, and whose objects it addresses.
    served: tuple[str, str]
    owner: str
    namespaced: bool
    custom: bool
    subresource: str = ""


def operation(
    components: SchemaComponents, target: OperationTarget, verb: str, *, everywhere: bool = False
) -> Json:
    """One verb on a target; `everywhere` lists over all namespaces."""
    operation: Json = {
        "description": _TEXTS[verb].format(target.kind),
        "operationId": _id(target, verb, everywhere),
        "tags": [_tag(target)],
        **_query(target, verb),
        "responses": _responses(components, target, verb),
        "x-kubernetes-action": _action(target, verb),
        "x-kubernetes-group-version-kind": {
            "group": target.group,
            "version": target.version,
            "kind": target.kind,
        },
    }
    body = _body(components, target, verb)
    return {**operation, "requestBody": body} if body else operation


def _action(target: OperationTarget, verb: str) -> str:
    if target.subresource in _STREAMS and target.subresource != "log":
        return "connect"
    return _ACTIONS.get(verb, verb)


def _query(target: OperationTarget, verb: str) -> Json:
    """The query parameters; an empty list would be lost when a client writes the document again."""
    found = parameters.query(*_parameters(target, verb))
    return {"parameters": found} if found else {}


def _parameters(target: OperationTarget, verb: str) -> tuple[str, ...]:
    if target.subresource in _STREAMS:
        return parameters.BY_SUBRESOURCE.get(target.subresource, ())
    return parameters.BY_VERB[verb]


def _id(target: OperationTarget, verb: str, everywhere: bool) -> str:
    words = [_NAMES.get(verb, verb.removesuffix("collection")), _title(target)]
    if verb == "deletecollection":
        words.append("Collection")
    if target.namespaced and not everywhere:
        words.append("Namespaced")
    words += [target.owner, target.subresource.capitalize()]
    if everywhere:
        words.append("ForAllNamespaces")
    return "".join(words)


def _title(target: OperationTarget) -> str:
    group, version = target.served
    parts = (group or "core").removesuffix(".k8s.io").replace("-", ".").split(".")
    return "".join(part.capitalize() for part in [*parts, version])


def _tag(target: OperationTarget) -> str:
    group, version = target.served
    return "_".join([*(group or "core").removesuffix(".k8s.io").split("."), version])


def _content(schema: Json, *types: str) -> Json:
    return {each: {"schema": schema} for each in types}


def _body(components: SchemaComponents, target: OperationTarget, verb: str) -> Json | None:
    if target.subresource in _STREAMS:
        return None
    if verb in ("create", "update"):
        schema = components.kind(target.group, target.version, target.kind)
        types = ["application/json", "application/yaml"]
        if not target.custom:
            types.append(_PROTOBUF)
        return {"required": True, "content": _content(schema, *types)}
    if verb == "patch":
        types = [*_PATCHES] if target.custom else [*_PATCHES, _STRATEGIC]
        return {"required": True, "content": _content(components.meta("Patch"), *types)}
    if verb in ("delete", "deletecollection"):
        schema = components.meta("DeleteOptions")
        return {"content": _content(schema, "application/json", "application/yaml", _PROTOBUF)}
    return None


def _responses(components: SchemaComponents, target: OperationTarget, verb: str) -> Json:
    error = _content(components.meta("Status"), "application/json")
    operation: Json = {}
    for code in _WRITTEN.get(verb, ("200", "202") if verb == "delete" else ("200",)):
        operation[code] = {
            "description": _ANSWERS[code],
            "content": _answer(components, target, verb),
        }
    operation["401"] = {"description": "Unauthorized"}
    operation["default"] = {"description": "Refused", "content": error}
    return operation


def _answer(components: SchemaComponents, target: OperationTarget, verb: str) -> Json:
    if target.subresource in _STREAMS:
        return _content({"type": "string"}, "text/plain")
    types = ["application/json", "application/yaml"]
    if verb == "list":
        schema = components.list_of(target.group, target.version, target.kind)
        return _content(schema, *types, "application/json;stream=watch")
    if verb in ("delete", "deletecollection"):
        return _content(components.meta("Status"), *types)
    return _content(components.kind(target.group, target.version, target.kind), *types)
