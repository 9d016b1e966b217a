"""Which objects a request means: a namespace, a label selector and a field selector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import BadRequest
from kubestage.objects import fields, labels
from kubestage.store import field_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind

_NO_LABELS: Final[dict[str, str]] = {}
_IDENTITY: Final = ("metadata.name", "metadata.namespace")


class Selection:
    """A parsed request; `matches` is its one test, compiled for the hot path."""

    __slots__ = ("_takes_any_labels", "_tests", "fields", "kind", "labels", "namespace")

    def __init__(
        self,
        kind: Kind,
        namespace: str | None = None,
        label_selector: labels.Selector = labels.EVERYTHING,
        field_selector: fields.Selector = fields.EVERYTHING,
    ) -> None:
        self.kind = kind
        self.labels = label_selector
        self._takes_any_labels = label_selector.empty
        self.fields = field_selector
        self.namespace = _narrowed(kind, namespace, field_selector)
        self._tests: tuple[tuple[str, str, bool], ...] = tuple(
            (each.field, each.value, each.operator == fields.EQUALS)
            for each in field_selector.requirements
        )

    @property
    def empty(self) -> bool:
        """Whether every object of the namespace is selected."""
        return self.labels.empty and self.fields.empty

    @property
    def selects_all(self) -> bool:
        """Whether every object of the kind is selected."""
        return self.namespace is None and self.empty

    @property
    def name(self) -> str | None:
        """The one name that is selected, if there is one."""
        return self.fields.requires_exact_match("metadata.name")

    @property
    def identity(self) -> fields.Selector:
        """The part about names and namespaces, which an object has in every version."""
        found = (each for each in self.fields.requirements if each.field in _IDENTITY)
        return fields.Selector(tuple(found))

    @property
    def depends_on_version(self) -> bool:
        """Whether an object may be selected in one of its versions and not in another."""
        return not self.labels.empty or self.identity != self.fields

    def matches(self, obj: Json) -> bool:
        """Whether an object is selected."""
        metadata = obj["metadata"]
        if self.namespace is not None and metadata.get("namespace") != self.namespace:
            return False
        if not self._takes_any_labels and not self.labels.matches(
            metadata.get("labels") or _NO_LABELS
        ):
            return False
        for field, value, expected in self._tests:
            if (self._reader(field)(obj) == value) is not expected:
                return False
        return True

    def matches_alike(self, old: Json, new: Json) -> bool:
        """Whether it is plain to see that an object is selected in both versions or in neither."""
        return not self._tests and (
            self._takes_any_labels or old["metadata"].get("labels") is new["metadata"].get("labels")
        )

    def _reader(self, field: str) -> Callable[[Json], str]:
        return field_values.reader(self.kind.kind, field)


def _narrowed(kind: Kind, namespace: str | None, selector: fields.Selector) -> str | None:
    """The namespace of the request, or that of its field selector."""
    if not kind.namespaced:
        return None
    return namespace or selector.requires_exact_match("metadata.namespace")


def parse(kind: Kind, namespace: str | None, label_selector: str, field_selector: str) -> Selection:
    """Read a request's selectors; BadRequest in the API's words if they cannot be read."""
    try:
        labels_selector = labels.parse(label_selector) if label_selector else labels.EVERYTHING
        fields_selector = _parse_fields(kind, field_selector)
    except (labels.SelectorError, fields.FieldSelectorError) as error:
        raise BadRequest(str(error)) from None
    return Selection(kind, namespace, labels_selector, fields_selector)


def _parse_fields(kind: Kind, text: str) -> fields.Selector:
    if not text:
        return fields.EVERYTHING
    if kind.definition is None:
        return fields.parse_for(kind.api_version, kind.kind, text)
    selector = fields.parse(text)
    allowed = {*_IDENTITY, *_declared(kind.definition)}
    for requirement in selector.requirements:
        if requirement.field not in allowed:
            raise BadRequest(f"field label not supported: {requirement.field}")
    return selector


def _declared(definition: Json) -> list[str]:
    """The fields that a custom resource lets its users select by."""
    return [each["jsonPath"].lstrip(".") for each in definition.get("selectableFields") or ()]
