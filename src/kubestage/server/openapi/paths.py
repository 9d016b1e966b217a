"""The paths of a group and version, derived from what discovery says of its resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.server.discovery import groups, resources
from kubestage.server.openapi import operations, parameters
from kubestage.server.openapi.operations import Target

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import KindTable
    from kubestage.server.discovery.resources import Resource, Subresource
    from kubestage.server.openapi.components import Components


_ON_COLLECTION = ("list", "create", "deletecollection")
_ON_ITEM = ("get", "update", "patch", "delete")


def build(kinds: KindTable, components: Components, group: str, version: str) -> Json:
    """All path items; `components` receives the schemas they refer to."""
    prefix = f"/apis/{group}/{version}" if group else f"/api/{version}"
    made: Json = {f"{prefix}/": _discovery(components)}
    for resource in resources.of(kinds, group, version):
        target = Target(
            group=group,
            version=version,
            kind=resource.kind,
            served=(group, version),
            owner=resource.kind,
            namespaced=resource.namespaced,
            custom=not groups.is_built_in(group) or _is_custom(kinds, group, version, resource),
        )
        made |= _resource(components, prefix, resource, target)
    return dict(sorted(made.items()))


def _is_custom(kinds: KindTable, group: str, version: str, resource: Resource) -> bool:
    row = kinds.by_plural(group, version, resource.name)
    return row is not None and groups.is_custom(row)


def _discovery(components: Components) -> Json:
    schema = components.meta("APIResourceList")
    content = {"application/json": {"schema": schema}, "application/yaml": {"schema": schema}}
    return {
        "get": {
            "description": "The resources of this group and version.",
            "responses": {"200": {"description": "OK", "content": content}},
        }
    }


def _resource(components: Components, prefix: str, resource: Resource, target: Target) -> Json:
    scope = "/namespaces/{namespace}" if target.namespaced else ""
    collection = f"{prefix}{scope}/{resource.name}"
    shared = [parameters.PRETTY, *([parameters.NAMESPACE] if target.namespaced else [])]
    made: Json = {}
    verbs = [verb for verb in _ON_COLLECTION if verb in resource.verbs]
    if verbs:
        made[collection] = _item(components, target, verbs, shared)
    if target.namespaced and "list" in resource.verbs:
        made[f"{prefix}/{resource.name}"] = {
            "get": operations.operation(components, target, "list", everywhere=True),
            "parameters": [parameters.PRETTY],
        }
    named = [*shared, parameters.name_of(target.kind)]
    verbs = [verb for verb in _ON_ITEM if verb in resource.verbs]
    if verbs:
        made[f"{collection}/{{name}}"] = _item(components, target, verbs, named)
    for part in resource.subresources:
        made[f"{collection}/{{name}}/{part.name}"] = _item(
            components, _part(target, part), part.verbs, named
        )
    return made


def _part(target: Target, part: Subresource) -> Target:
    owned = target._replace(kind=part.kind, subresource=part.name)
    return owned._replace(group=part.group, version=part.version) if part.group else owned


def _item(
    components: Components, target: Target, verbs: list[str] | tuple[str, ...], shared: list[Json]
) -> Json:
    made: Json = {
        operations.METHODS[verb]: operations.operation(components, target, verb) for verb in verbs
    }
    return {**made, "parameters": shared}
