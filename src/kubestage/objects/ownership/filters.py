"""Fields that a request cannot change, and so nobody can own through it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.ownership import field_set

if TYPE_CHECKING:
    from kubestage.objects.ownership.field_set import FieldSet

# A pattern is a tree of path elements; at its end everything matches.
Pattern = dict[str, Any]
ANY: Final = "*"


class Filter(NamedTuple):
    """What is taken out of a set: some fields with all below, or all but what matches a pattern."""

    excluded: FieldSet = field_set.EMPTY
    included: Pattern | None = None

    @property
    def parts(self) -> frozenset[str]:
        """The fields of an object that are taken out whole."""
        return frozenset(element[2:] for element, below in self.excluded.items() if not below)

    def of(self, fields: FieldSet) -> FieldSet:
        """The set after the filter."""
        if self.included is not None:
            return _matching(fields, self.included)
        return field_set.recursive_difference(fields, self.excluded)


def _matching(fields: FieldSet, pattern: Pattern) -> FieldSet:
    if not pattern:
        return fields
    out: FieldSet = {}
    for element, below in fields.items():
        deeper = pattern.get(ANY, pattern.get(element))
        if deeper is not None and element != field_set.SELF:
            member = field_set.is_member(below)
            node = field_set.node(member, _matching(field_set.children(below), deeper))
            if node is not None:
                out[element] = node
    return out


NOTHING: Final = Filter()


def _without(*paths: tuple[str, ...]) -> Filter:
    return Filter(field_set.of_paths(*(tuple(f"f:{name}" for name in path) for path in paths)))


_STATUS: Final = _without(("status",))
_SPEC: Final = _without(("spec",))
_SPEC_AND_METADATA: Final = _without(("spec",), ("metadata",))

_BY_KIND: Final[dict[tuple[str, str, str], Filter]] = {
    ("", "Pod", "status"): _without(
        ("spec",), ("metadata", "deletionTimestamp"), ("metadata", "ownerReferences")
    ),
    ("", "Pod", "ephemeralcontainers"): Filter(included={"f:spec": {"f:ephemeralContainers": {}}}),
    ("", "Pod", "resize"): Filter(
        included={
            "f:spec": {
                "f:containers": {ANY: {"f:resources": {}}},
                "f:initContainers": {ANY: {"f:resources": {}}},
            }
        }
    ),
    ("", "Namespace", "finalize"): _STATUS,
    ("apps", "Deployment", "status"): _without(("spec",), ("metadata", "labels")),
    ("certificates.k8s.io", "CertificateSigningRequest", ""): _without(("spec",), ("status",)),
    ("certificates.k8s.io", "CertificateSigningRequest", "status"): _without(
        ("spec",), ("status", "conditions")
    ),
    ("certificates.k8s.io", "CertificateSigningRequest", "approval"): _without(
        ("spec",), ("status", "certificate")
    ),
}
# Groups whose kinds keep their metadata, too, when the status is written.
_METADATA_KEPT: Final = frozenset(
    {
        "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io",
        "flowcontrol.apiserver.k8s.io", "resource.k8s.io", "storage.k8s.io",
        "scheduling.k8s.io",
    }
)  # fmt: skip
_CUSTOM_LIKE: Final = ("networking.k8s.io", "ServiceCIDR")


def of_request(
    group: str, kind: str, subresource: str, *, has_status: bool, is_custom: bool
) -> Filter:
    """The filter of requests to a kind or one of its subresources."""
    found = _BY_KIND.get((group, kind, subresource))
    if found is not None:
        return found
    if not subresource:
        return _STATUS if has_status else NOTHING
    if subresource != "status":
        return NOTHING
    keeps = is_custom or group in _METADATA_KEPT or (group, kind) == _CUSTOM_LIKE
    return _SPEC_AND_METADATA if keeps else _SPEC
