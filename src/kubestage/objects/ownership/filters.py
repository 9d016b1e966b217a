"""Fields that a request cannot change, and so no manager can own through it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.ownership import field_set

if TYPE_CHECKING:
    from kubestage.objects.kinds.behavior import Behavior
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


def without(*paths: str) -> Filter:
    """A filter that takes out these fields (``metadata.labels``) with all below them."""
    split = (tuple(f"f:{name}" for name in path.split(".")) for path in paths)
    return Filter(field_set.of_paths(*split))


def only(pattern: Pattern) -> Filter:
    """A filter that takes out all but what matches a pattern."""
    return Filter(included=pattern)


_STATUS: Final = without("status")
_SPEC: Final = without("spec")
_SPEC_AND_METADATA: Final = without("spec", "metadata")


def of_request(
    behavior: Behavior, subresource: str, *, has_status: bool, is_custom: bool
) -> Filter:
    """The filter of requests to a kind or one of its subresources."""
    found = behavior.reset_fields.get(subresource)
    if found is not None:
        return found
    if not subresource:
        return _STATUS if has_status else NOTHING
    if subresource != "status":
        return NOTHING
    resets_metadata = is_custom or behavior.status_resets_metadata
    return _SPEC_AND_METADATA if resets_metadata else _SPEC
