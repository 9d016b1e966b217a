"""Which nodes a pod may or would rather run on: node selector terms, compiled.

A term that cannot be read is no error while another term matches; it is reported only when none
does, as the scheduler reports it. Terms are or-ed, the requirements inside one are and-ed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import label_requirement, labels
from kubestage.objects.label_requirement import SelectorError
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME_FIELD: Final = "metadata.name"

_OPERATORS: Final = {
    "In": label_requirement.IN,
    "NotIn": label_requirement.NOT_IN,
    "Exists": label_requirement.EXISTS,
    "DoesNotExist": label_requirement.DOES_NOT_EXIST,
    "Gt": label_requirement.GREATER_THAN,
    "Lt": label_requirement.LESS_THAN,
}
_FIELD_OPERATORS: Final = ("In", "NotIn")
_NO_LABELS: Final[dict[str, str]] = {}


class Term(msgspec.Struct, frozen=True):
    """Requirements on a node's labels and on its fields, or what is wrong with them."""

    label_selector: labels.Selector = labels.EVERYTHING
    fields: tuple[tuple[str, bool, str], ...] = ()
    problems: tuple[str, ...] = ()

    def matches(self, name: str, node_labels: Mapping[str, str]) -> bool:
        """Whether a node fulfils the term; a malformed term is fulfilled by none."""
        if self.problems or not self.label_selector.matches(node_labels):
            return False
        # A node without a name has no fields, and then fields are not looked at.
        if not name:
            return True
        for key, expected, value in self.fields:
            if ((name if key == NAME_FIELD else "") == value) != expected:
                return False
        return True


class NodeSelector(msgspec.Struct, frozen=True):
    """Terms of which one must match; ``problems`` are those of all malformed terms."""

    terms: tuple[Term, ...] = ()
    problems: tuple[str, ...] = ()

    def matches(self, name: str, node_labels: Mapping[str, str]) -> bool:
        """Whether any term matches; ``SelectorError`` if none does and some are malformed."""
        for term in self.terms:
            if term.matches(name, node_labels):
                return True
        if self.problems:
            raise SelectorError(*self.problems)
        return False

    def match_node(self, node: Mapping[str, Any]) -> bool:
        """``matches`` for a Node object."""
        return self.matches(*_identity(node))


class RequiredNodeAffinity(msgspec.Struct, frozen=True):
    """What a pod demands of its node: ``spec.nodeSelector`` and required node affinity."""

    label_selector: labels.Selector | None = None
    terms: NodeSelector | None = None

    @property
    def empty(self) -> bool:
        """Whether every node will do."""
        return self.label_selector is None and self.terms is None

    def matches(self, name: str, node_labels: Mapping[str, str]) -> bool:
        """Whether a node meets both demands; malformed terms raise as in ``NodeSelector``."""
        if self.label_selector is not None and not self.label_selector.matches(node_labels):
            return False
        return self.terms is None or self.terms.matches(name, node_labels)

    def match_node(self, node: Mapping[str, Any]) -> bool:
        """``matches`` for a Node object."""
        return self.matches(*_identity(node))


class PreferredTerms(msgspec.Struct, frozen=True):
    """Weighted preferences; the weights of those that a node fulfils add up."""

    terms: tuple[tuple[int, Term], ...] = ()

    def score(self, name: str, node_labels: Mapping[str, str]) -> int:
        """The sum of the weights of the matching terms."""
        return sum(weight for weight, term in self.terms if term.matches(name, node_labels))

    def score_node(self, node: Mapping[str, Any]) -> int:
        """``score`` for a Node object."""
        return self.score(*_identity(node))


ANY_NODE: Final = RequiredNodeAffinity()
NO_PREFERENCE: Final = PreferredTerms()


def lazy(selector: Mapping[str, Any], path: str = "") -> NodeSelector:
    """Compile a NodeSelector object, keeping parse errors for later."""
    prefix = f"{path}.nodeSelectorTerms" if path else "nodeSelectorTerms"
    terms = tuple(
        _term(term, f"{prefix}[{index}]")
        for index, term in enumerate(selector.get("nodeSelectorTerms") or ())
        if _is_set(term)
    )
    return NodeSelector(terms, tuple(problem for term in terms for problem in term.problems))


def parse(selector: Mapping[str, Any], path: str = "") -> NodeSelector:
    """Compile a NodeSelector object, or raise ``SelectorError`` with every parse error."""
    compiled = lazy(selector, path)
    if compiled.problems:
        raise SelectorError(*compiled.problems)
    return compiled


def required_of(pod_spec: Mapping[str, Any]) -> RequiredNodeAffinity:
    """What a pod's spec demands of its node."""
    node_labels: dict[str, str] = pod_spec.get("nodeSelector") or {}
    affinity = (pod_spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if not node_labels and required is None:
        return ANY_NODE
    return RequiredNodeAffinity(
        labels.selector_from_set(node_labels) if node_labels else None,
        None if required is None else lazy(required),
    )


def preferred(terms: Sequence[Mapping[str, Any]], path: str = "") -> PreferredTerms:
    """Compile preferred scheduling terms; terms of weight 0 are not even read."""
    parsed: list[tuple[int, Term]] = []
    problems: list[str] = []
    for index, item in enumerate(terms):
        weight, preference = item.get("weight") or 0, item.get("preference") or {}
        if weight and _is_set(preference):
            term = _term(preference, f"{path}[{index}]")
            problems += term.problems
            parsed.append((weight, term))
    if problems:
        raise SelectorError(*problems)
    return PreferredTerms(tuple(parsed)) if parsed else NO_PREFERENCE


def _is_set(term: Mapping[str, Any] | None) -> bool:
    return bool(term and (term.get("matchExpressions") or term.get("matchFields")))


def _identity(node: Mapping[str, Any]) -> tuple[str, Mapping[str, str]]:
    metadata = node.get("metadata") or {}
    return metadata.get("name") or "", metadata.get("labels") or _NO_LABELS


def _term(term: Mapping[str, Any], path: str) -> Term:
    problems: list[str] = []
    requirements = []
    for index, item in enumerate(term.get("matchExpressions") or ()):
        where = f"{path}.matchExpressions[{index}]"
        operator = item.get("operator") or ""
        word = _OPERATORS.get(operator)
        if word is None:
            problems.append(_unsupported(where, operator, _OPERATORS))
            continue
        try:
            values = item.get("values")
            requirements.append(label_requirement.new(item.get("key") or "", word, values, where))
        except SelectorError as error:
            problems += error.problems
    fields = _fields(term.get("matchFields") or (), f"{path}.matchFields", problems)
    if problems:
        return Term(problems=tuple(problems))
    return Term(labels.EVERYTHING.add(*requirements), fields)


def _fields(
    items: Sequence[Mapping[str, Any]], path: str, problems: list[str]
) -> tuple[tuple[str, bool, str], ...]:
    fields = []
    for index, item in enumerate(items):
        operator, values = item.get("operator") or "", item.get("values")
        if operator not in _FIELD_OPERATORS:
            problems.append(_unsupported(f"{path}[{index}]", operator, _FIELD_OPERATORS))
        elif not values or len(values) != 1:
            shown = label_requirement.rendered(values)
            error = field.invalid(f"{path}[{index}].values", shown, "must have one element")
            problems.append(str(error))
        else:
            fields.append((item.get("key") or "", operator == "In", values[0]))
    return tuple(fields)


def _unsupported(path: str, operator: str, supported: Mapping[str, str] | Sequence[str]) -> str:
    shown = label_requirement.rendered(operator)
    return str(field.not_supported(f"{path}.operator", shown, supported))
