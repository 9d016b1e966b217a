"""The paths of a group and version, derived from the resources of discovery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.server.discovery import groups, resources
from kubestage.server.openapi import operations, parameters
from kubestage.server.openapi.operations import OperationTarget

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import KindTable
    from kubestage.server.discovery.resources import ApiResource, Subresource
    from kubestage.server.openapi.components import SchemaComponents


_ON_COLLECTION = ("list", "create", "deletecollection")
_ON_ITEM = ("get", "update", "patch", "delete")


def build(kinds: KindTable, components: SchemaComponents, group: str, version: str) -> Json:
    """All path items; `components` receives the schemas they refer to."""
    prefix = f"/apis/{group}/{version}" if group else f"/api/{version}"
    operation: Json = {f"{prefix}/": _discovery(components)}
    for resource in resources.served_resources(kinds, group, version):
        target = OperationTarget(
            group=group,
            version=version,
            kind=resource.kind,
            served=(group, version),
            owner=resource.kind,
            namespaced=resource.namespaced,
            custom=not groups.is_built_in(group) or _is_custom(kinds, group, version, resource),
        )
        operation |= _resource(components, prefix, resource, target)
    return dict(sorted(operation.items()))


def _is_custom(kinds: KindTable, group: str, version: str, resource: ApiResource) -> bool:
    row = kinds.by_plural(group, version, resource.name)
    return row is not None and groups.is_custom(row)


def _discovery(components: SchemaComponents) -> Json:
    schema = components.meta("APIResourceList")
    content = {"application/json": {"schema": schema}, "application/yaml": {"schema": schema}}
    return {
        "get": {
            "description": "The resources of this group and version.",
            "responses": {"200": {"description": "OK", "content": content}},
        }
    }


def _resource(
    components: SchemaComponents, prefix: str, resource: ApiResource, target: OperationTarget
) -> Json:
    scope = "/namespaces/{namespace}" if target.namespaced else ""
    collection = f"{prefix}{scope}/{resource.name}"
    shared = [parameters.PRETTY, *([parameters.NAMESPACE] if target.namespaced else [])]
    operation: Json = {}
    verbs = [verb for verb in _ON_COLLECTION if verb in resource.verbs]
    if verbs:
        operation[collection] = _item(components, target, verbs, shared)
    if target.namespaced and "list" in resource.verbs:
        operation[f"{prefix}/{resource.name}"] = {
            "get": operations.operation(components, target, "list", everywhere=True),
            "parameters": [parameters.PRETTY],
        }
    named = [*shared, parameters.name_of(target.kind)]
    verbs = [verb for verb in _ON_ITEM if verb in resource.verbs]
    if verbs:
        operation[f"{collection}/{{name}}"] = _item(components, target, verbs, named)
    for part in resource.subresources:
        operation[f"{collection}/{{name}}/{part.name}"] = _item(
            components, _part(target, part), part.verbs, named
        )
    return operation


def _part(target: OperationTarget, part: Subresource) -> OperationTarget:
    owned = target._replace(kind=part.kind, subresource=part.name)
    return owned._replace(group=part.group, version=part.version) if part.group else owned


def _item(
    components: SchemaComponents,
    target: OperationTarget,
    verbs: list[str] | tuple[str, ...],
    shared: list[Json],
) -> Json:
    operation: Json = {
        operations.METHODS[verb]: operations.operation(components, target, verb) for verb in verbs
    }
    return {**operation, "parameters": shared}
