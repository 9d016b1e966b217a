"""Which requests a policy or a webhook is for: rules, selectors, and equivalent resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import kinds, labels
from kubestage.store.admission import attributes as admission_attributes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.admission.attributes import Attributes
    from kubestage.store.core import Core

_ALL: Final = "*"


def matched(core: Core, attributes: Attributes, match: Json) -> Kind | None:
    """The resource by which resources of a policy match a request; None if they do not."""
    if not selects(core, attributes, match):
        return None
    policy = match.get("matchPolicy")
    excluded = match.get("excludeResourceRules") or ()
    if excluded and _by_rules(core, attributes, excluded, policy) is not None:
        return None
    rules = match.get("resourceRules") or ()
    return _by_rules(core, attributes, rules, policy) if rules else attributes.kind


def hooked(core: Core, attributes: Attributes, hook: Json) -> Kind | None:
    """The resource by which a webhook matches a request; None if it does not."""
    row = _by_rules(core, attributes, hook.get("rules") or (), hook.get("matchPolicy"))
    return row if row is not None and selects(core, attributes, hook) else None


def selects(core: Core, attributes: Attributes, holder: Json) -> bool:
    """Whether both selectors match: that of namespaces, and that of objects."""
    return _selects_namespace(
        core, attributes, holder.get("namespaceSelector")
    ) and _selects_object(attributes, holder.get("objectSelector"))


def _selects_namespace(core: Core, attributes: Attributes, selector: Any) -> bool:
    is_namespace = _is_namespace(attributes.kind)
    if not selector or (not attributes.namespace and not is_namespace):
        return True
    if (
        is_namespace
        and not attributes.subresource
        and attributes.operation in (admission_attributes.CREATE, admission_attributes.UPDATE)
    ):
        found = attributes.obj
    else:
        found = core.namespaces.objects.get(attributes.namespace)
    own = ((found or {}).get("metadata") or {}).get("labels")
    return labels.from_label_selector(selector).matches(own or {})


def _selects_object(attributes: Attributes, selector: Any) -> bool:
    if not selector:
        return True
    parsed = labels.from_label_selector(selector)
    if parsed.empty:
        return True
    shown = [each for each in (attributes.obj, attributes.old) if each is not None]
    return any(
        parsed.matches((each.get("metadata") or {}).get("labels") or {})
        for each in shown
        if isinstance(each.get("metadata"), dict)
    )


def _is_namespace(kind: Kind) -> bool:
    return kind.plural == "namespaces" and not kind.group


def _by_rules(
    core: Core, attributes: Attributes, rules: Sequence[Json], policy: str | None
) -> Kind | None:
    for rule in rules:
        if _fits(rule, attributes, attributes.kind) and _named(rule, attributes):
            return attributes.kind
    if policy == "Exact":
        return None
    equivalents = list(_equivalents(core, attributes))
    for rule in rules:
        for row in equivalents:
            if _fits(rule, attributes, row) and _named(rule, attributes):
                return row
    return None


def _equivalents(core: Core, attributes: Attributes) -> Iterator[Kind]:
    """Other resources by which the same objects are served."""
    if attributes.part is not None:
        return
    kind = attributes.kind
    own = kinds.stored(kind)
    if kind.definition is None and kind.stored_as is None and own.kind not in _VIEWED:
        return
    for row in core.kinds:
        if row.kind == kind.kind and row is not kind and kinds.stored(row) == own:
            yield row


def _viewed() -> frozenset[str]:
    table = kinds.KindTable()
    return frozenset(row.kind for row in table if row.stored_as is not None)


_VIEWED: Final = _viewed()


def _named(rule: Json, attributes: Attributes) -> bool:
    listed = rule.get("resourceNames")
    return not listed or attributes.name in listed


def _fits(rule: Json, attributes: Attributes, row: Kind) -> bool:
    return (
        _has(rule.get("operations"), attributes.operation)
        and _has(rule.get("apiGroups"), row.group)
        and _has(rule.get("apiVersions"), row.version)
        and _in_scope(rule.get("scope"), attributes)
        and _is_resource(rule.get("resources") or (), row.plural, attributes.subresource)
    )


def _has(listed: Sequence[str] | None, value: str) -> bool:
    return bool(listed) and (value in (listed or ()) or _ALL in (listed or ()))


def _in_scope(scope: str | None, attributes: Attributes) -> bool:
    if not scope or scope == _ALL:
        return True
    is_cluster = not attributes.namespace or _is_namespace(attributes.kind)
    return is_cluster == (scope == "Cluster")


def _is_resource(listed: Sequence[str], plural: str, subresource: str) -> bool:
    for each in listed:
        name, _, below = each.partition("/")
        if name in (_ALL, plural) and below in (_ALL, subresource):
            return True
    return False
