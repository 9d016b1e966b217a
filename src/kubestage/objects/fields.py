"""Field selectors such as ``spec.nodeName=n1,status.phase!=Failed``.

Which fields a kind can be selected by is a short list per kind; any other field is refused with
the API's words.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import MalformedValue
from kubestage.objects.validation import field as field_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

EQUALS: Final = "="
NOT_EQUALS: Final = "!="

_find_operator: Final = re.compile("!=|==|=").search


class FieldSelectorError(MalformedValue):
    """A field selector that cannot be read or is not supported."""


class Requirement(msgspec.Struct, frozen=True):
    """One field that must, or must not, have a value."""

    field: str
    operator: str
    value: str

    def __str__(self) -> str:
        return f"{self.field}{self.operator}{escape(self.value)}"


class Selector(msgspec.Struct, frozen=True):
    """All of these requirements; an absent field counts as empty."""

    requirements: tuple[Requirement, ...] = ()

    def matches(self, values: Mapping[str, str]) -> bool:
        """Whether the selectable fields of an object fulfil every requirement."""
        for requirement in self.requirements:
            is_equal = values.get(requirement.field, "") == requirement.value
            if is_equal != (requirement.operator == EQUALS):
                return False
        return True

    @property
    def empty(self) -> bool:
        """Whether everything is selected."""
        return not self.requirements

    def requires_exact_match(self, field: str) -> str | None:
        """The one value that a field must have, if there is such a value."""
        for requirement in self.requirements:
            if requirement.field == field and requirement.operator == EQUALS:
                return requirement.value
        return None

    def transform(self, convert: Callable[[str, str], tuple[str, str]]) -> Selector:
        """The selector with each field and value converted; a pair of empty texts is dropped."""
        converted = (
            Requirement(new_field, requirement.operator, value)
            for requirement in self.requirements
            for new_field, value in [convert(requirement.field, requirement.value)]
            if new_field or value
        )
        return Selector(tuple(converted))

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


EVERYTHING: Final = Selector()


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Selector:
    """Read a field selector, or raise ``FieldSelectorError``."""
    requirements = []
    for term in sorted(_terms(text)):
        if not term:
            continue
        match = _find_operator(term)
        if match is None:
            raise FieldSelectorError(f"invalid selector: '{text}'; can't understand '{term}'")
        value = unescape(term[match.end() :])
        operator = NOT_EQUALS if match[0] == NOT_EQUALS else EQUALS
        requirements.append(Requirement(term[: match.start()], operator, value))
    return Selector(tuple(requirements))


def parse_for(api_version: str, kind: str, text: str) -> Selector:
    """Read a field selector for one kind, whose selectable fields it may name."""
    return parse(text).transform(functools.partial(convert_field_label, api_version, kind))


def _terms(text: str) -> list[str]:
    """Split at commas that no backslash protects."""
    terms, start, protected = [], 0, False
    for index, char in enumerate(text):
        if protected:
            protected = False
        elif char == "\\":
            protected = True
        elif char == ",":
            terms.append(text[start:index])
            start = index + 1
    terms.append(text[start:])
    return terms


def escape(value: str) -> str:
    """A value with backslashes before the characters that mean something."""
    return value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=")


def unescape(value: str) -> str:
    """The value behind an escaped one, or ``FieldSelectorError``."""
    if not any(char in value for char in "\\,="):
        return value
    out: list[str] = []
    protected = False
    for char in value:
        if protected:
            if char not in "\\,=":
                raise _bad_escape("\\" + char)
            out.append(char)
            protected = False
        elif char == "\\":
            protected = True
        elif char in ",=":
            raise FieldSelectorError(
                f"invalid field selector: unescaped character in value: {ord(char)}"
            )
        else:
            out.append(char)
    if protected:
        raise _bad_escape("\\")
    return "".join(out)


def _bad_escape(sequence: str) -> FieldSelectorError:
    return FieldSelectorError(f"invalid field selector: invalid escape sequence: {sequence}")


def _same(*labels: str) -> dict[str, str]:
    return {label: label for label in labels}


_NAMED: Final = ("metadata.name", "metadata.namespace")
_INVOLVED: Final = (
    "kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath",
)  # fmt: skip
_FIELDS: Final[dict[tuple[str, str], dict[str, str]]] = {
    ("v1", "Pod"): _same(
        *_NAMED, "spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
        "spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP",
        "status.podIPs", "status.nominatedNodeName",
    ) | {"spec.host": "spec.nodeName"},
    ("v1", "Node"): _same("metadata.name", "spec.unschedulable"),
    ("v1", "ReplicationController"): _same(*_NAMED, "status.replicas"),
    ("v1", "Event"): _same(
        *_NAMED, *(f"involvedObject.{name}" for name in _INVOLVED), "reason",
        "reportingComponent", "source", "type",
    ),
    ("v1", "Namespace"): _same("metadata.name", "status.phase"),
    ("v1", "Secret"): _same(*_NAMED, "type"),
    ("v1", "Service"): _same(*_NAMED, "spec.clusterIP", "spec.type"),
    ("batch/v1", "Job"): _same(*_NAMED, "status.successful"),
    ("events.k8s.io/v1", "Event"): _same(*_NAMED, "reason", "type")
    | {f"regarding.{name}": f"involvedObject.{name}" for name in _INVOLVED}
    | {"reportingController": "reportingComponent"},
    ("resource.k8s.io/v1", "ResourceSlice"): _same(
        "metadata.name", "spec.nodeName", "spec.driver"
    ),
    ("certificates.k8s.io/v1", "CertificateSigningRequest"): _same(
        "metadata.name", "spec.signerName"
    ),
}  # fmt: skip


def selectable_fields(api_version: str, kind: str) -> Iterable[str]:
    """The field names that a selector for this kind may use."""
    return _FIELDS.get((api_version, kind), _same(*_NAMED))


def convert_field_label(api_version: str, kind: str, label: str, value: str) -> tuple[str, str]:
    """The stored name of a selectable field and the value, or ``FieldSelectorError``."""
    known = _FIELDS.get((api_version, kind))
    if known is None:
        if label in _NAMED:
            return label, value
        shown = field_errors.quote(label)
        raise FieldSelectorError(
            f'{shown} is not a known field selector: only "metadata.name", "metadata.namespace"'
        )
    target = known.get(label)
    if target is None:
        raise FieldSelectorError(_not_supported(api_version, kind, label))
    return target, value


def _not_supported(api_version: str, kind: str, label: str) -> str:
    if kind == "Job":
        return f"field label {field_errors.quote(label)} not supported for Job"
    if kind == "ResourceSlice":
        return f"field label not supported for {api_version}, Kind={kind}: {label}"
    return f"field label not supported: {label}"
