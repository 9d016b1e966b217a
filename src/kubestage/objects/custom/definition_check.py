"""Rules for CustomResourceDefinitions, in the words and the order of the API server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.custom import (
    approval,
    conversion_check,
    definition_view,
    rows,
    version_check,
)
from kubestage.objects.validation import field, internal_json, metadata, names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.custom.definition_view import DefinitionView
    from kubestage.objects.validation.field import FieldError


_SCOPES: Final = ("Cluster", "Namespaced")
_VERSIONS: Final = "[]apiextensions/v1.CustomResourceDefinitionVersion"
_MIXED: Final = "may have mixed case, but should otherwise match: "
_UNKNOWN_FIELDS: Final = (
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
    "spec.versions[*].schema instead"
)


def validate_create(definition: Json) -> list[FieldError]:
    """What is wrong with a new definition."""
    spec = definition["spec"]
    expected = f"{spec['names'].get('plural') or ''}.{spec.get('group') or ''}"

    def validate_name(name: str, prefix: bool) -> tuple[str, ...]:
        problems = names.name_is_dns_subdomain(name, prefix)
        if name != expected:
            problems = (*problems, 'must be spec.names.plural+"."+spec.group')
        return problems

    errors = metadata.validate_object_meta(
        definition["metadata"], False, validate_name, kube_finalizers=False
    )
    return errors + _validate(definition, None)


def validate_update(new: Json, old: Json) -> list[FieldError]:
    """What is wrong with a definition that replaces another."""
    errors = metadata.validate_object_meta_update(
        new["metadata"], old["metadata"], kube_finalizers=False
    )
    return errors + _validate(new, old)


def validate_status_update(new: Json, old: Json) -> list[FieldError]:
    """What is wrong with a new status of a definition."""
    errors = metadata.validate_object_meta_update(
        new["metadata"], old["metadata"], kube_finalizers=False
    )
    accepted = new["status"].get("acceptedNames") or {}
    return [*errors, *_names(accepted, "status.acceptedNames")]


def _validate(definition: Json, old: Json | None) -> list[FieldError]:
    spec, status = definition["spec"], definition["status"]
    errors = [*_spec(spec, old)]
    if old is not None:
        errors += _immutable(spec, old)
    errors += _names(status.get("acceptedNames") or {}, "status.acceptedNames")
    errors += _stored_versions(status.get("storedVersions"), spec.get("versions") or [])
    errors += approval.validate(definition, old)
    was_free = old is not None and old["spec"].get("preserveUnknownFields")
    if spec.get("preserveUnknownFields") and not was_free:
        errors.append(field.invalid("spec.preserveUnknownFields", True, _UNKNOWN_FIELDS))
    return errors


def _spec(spec: Json, old: Json | None) -> Iterator[FieldError]:
    yield from _group(spec.get("group") or "")
    scope = spec.get("scope") or ""
    if not scope:
        yield field.required("spec.scope")
    elif scope not in _SCOPES:
        yield field.not_supported("spec.scope", scope, _SCOPES)
    view = definition_view.view_of(spec)
    if (view.shared.schema or {}).get("openAPIV3Schema") is None:
        for index, (_, parts) in enumerate(view.versions):
            if (parts.schema or {}).get("openAPIV3Schema") is None:
                yield field.required(f"spec.versions[{index}].schema.openAPIV3Schema")
    is_free = bool(spec.get("preserveUnknownFields"))
    if is_free and version_check.has_defaults(spec):
        text = "must be false in order to use defaults in the schema"
        yield field.invalid("spec.preserveUnknownFields", True, text)
    unchanged = _unchanged_schemas(spec, old)
    yield from _versions(spec, view, unchanged)
    yield from _required_names(spec["names"])
    yield from _names(spec["names"], "spec.names")
    has_status = any(
        (version.get("subresources") or {}).get("status") is not None
        for version in spec.get("versions") or ()
    )
    first = next((version.get("name") for version in spec.get("versions") or ()), "")
    yield from version_check.validate_schema(
        view.shared.schema,
        "spec.validation",
        has_status=has_status,
        is_unchanged=first in unchanged,
    )
    yield from version_check.validate_subresources(view.shared.subresources, "spec.subresources")
    yield from version_check.validate_columns(view.shared.columns, "spec.additionalPrinterColumns")
    if view.shared.selectable:
        yield from version_check.validate_selectable(
            view.shared.selectable, view.shared.schema, "spec.selectableFields"
        )
    conversion = spec.get("conversion") or {}
    if conversion.get("strategy") not in (None, "None") and is_free:
        text = "must be None if spec.preserveUnknownFields is true"
        yield field.invalid("spec.conversion.strategy", conversion["strategy"], text)
    yield from conversion_check.validate(
        conversion, "spec.conversion", checks_bundle=_checks_bundle(old)
    )


def _unchanged_schemas(spec: Json, old: Json | None) -> set[str]:
    """The versions that the old definition had with the same schemas."""
    if old is None:
        return set()
    before = {each.get("name"): each.get("schema") for each in old["spec"].get("versions") or ()}
    return {
        each.get("name") or ""
        for each in spec.get("versions") or ()
        if each.get("name") in before and each.get("schema") == before[each.get("name")]
    }


def _checks_bundle(old: Json | None) -> bool:
    """A bundle must be good once the definition is served, unless the old one was bad."""
    if old is None or not rows.is_established(old):
        return False
    client = ((old["spec"].get("conversion") or {}).get("webhook") or {}).get("clientConfig") or {}
    return not client.get("caBundle") or conversion_check.is_bundle(client["caBundle"])


def _group(group: str) -> Iterator[FieldError]:
    problems = names.is_dns1123_subdomain(group)
    if not group:
        yield field.required("spec.group")
    elif problems:
        yield field.invalid("spec.group", group, ",".join(problems))
    elif "." not in group:
        yield field.invalid("spec.group", group, "should be a domain with at least one dot")


def _versions(spec: Json, view: DefinitionView, unchanged: set[str]) -> Iterator[FieldError]:
    seen: list[str] = []
    for index, (version, parts) in enumerate(view.versions):
        path = f"spec.versions[{index}]"
        name = version.get("name") or ""
        seen.append(name)
        problems = names.is_dns1035_label(name)
        if problems:
            yield field.invalid(f"{path}.name", name, ",".join(problems))
        yield from version_check.validate(version, parts, path, is_unchanged=name in unchanged)
    shown = internal_json.render(_VERSIONS, view.rendered)
    if len(set(seen)) < len(seen):
        yield field.invalid("spec.versions", shown, "must contain unique version names")
    if sum(bool(version.get("storage")) for version in spec.get("versions") or ()) != 1:
        text = "must have exactly one version marked as storage version"
        yield field.invalid("spec.versions", shown, text)
    problems = names.is_dns1035_label(seen[0]) if seen and seen[0] else ()
    if problems:
        yield field.invalid("spec.version", seen[0], ",".join(problems))


def _required_names(names_spec: Json) -> Iterator[FieldError]:
    for name in ("plural", "singular", "kind", "listKind"):
        if not names_spec.get(name):
            yield field.required(f"spec.names.{name}")


def _names(names_spec: Json, path: str) -> Iterator[FieldError]:
    for name in ("plural", "singular"):
        text = names_spec.get(name) or ""
        problems = names.is_dns1035_label(text) if text else ()
        if problems:
            yield field.invalid(f"{path}.{name}", text, ",".join(problems))
    for name in ("kind", "listKind"):
        text = names_spec.get(name) or ""
        problems = names.is_dns1035_label(text.lower()) if text else ()
        if problems:
            yield field.invalid(f"{path}.{name}", text, _MIXED + ",".join(problems))
    yield from _labels(names_spec, "shortNames", path)
    kind = names_spec.get("kind")
    if kind and kind == names_spec.get("listKind"):
        yield field.invalid(f"{path}.listKind", kind, "kind and listKind may not be the same")
    yield from _labels(names_spec, "categories", path)


def _labels(names_spec: Json, name: str, path: str) -> Iterator[FieldError]:
    for index, text in enumerate(names_spec.get(name) or ()):
        problems = names.is_dns1035_label(text)
        if problems:
            yield field.invalid(f"{path}.{name}[{index}]", text, ",".join(problems))


def _stored_versions(stored: list[str] | None, versions: list[Json]) -> Iterator[FieldError]:
    path = "status.storedVersions"
    if not stored:
        text = "must have at least one stored version"
        yield field.invalid(path, internal_json.text(stored or None), text)
        return
    served = {version["name"]: version for version in versions}
    for name, version in served.items():
        if version.get("storage") and name not in stored:
            text = f"must have the storage version {name}"
            yield field.invalid(path, internal_json.text(stored), text)
    for index, name in enumerate(stored):
        if name not in served:
            text = (
                f"missing from spec.versions; {name} was previously a storage version, and must "
                "remain in spec.versions until a storage migration ensures no data remains "
                f"persisted in {name} and removes {name} from status.storedVersions"
            )
            yield field.invalid(f"{path}[{index}]", name, text)


def _immutable(spec: Json, old: Json) -> Iterator[FieldError]:
    before = old["spec"]
    if rows.is_established(old):
        shown = internal_json.text(spec.get("scope"))
        yield from metadata.validate_immutable(
            spec.get("scope"), before.get("scope"), "spec.scope", shown
        )
        yield from _same(spec["names"], before["names"], "kind", "spec.names")
    yield from _same(spec, before, "group", "spec")
    yield from _same(spec["names"], before["names"], "plural", "spec.names")


def _same(new: Json, old: Json, name: str, path: str) -> list[FieldError]:
    return metadata.validate_immutable(new.get(name), old.get(name), f"{path}.{name}")
