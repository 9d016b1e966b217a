"""Rules of a definition (``x-kubernetes-validations``) over the objects that it defines.

Which value is checked by which rule, against which old one, and how a broken rule is reported.
How a rule is decided is the matter of a subclass: by the CEL library, or by code of ours.
"""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from kubestage.errors import KubestageError
from kubestage.objects.cel.budget import Budget, BudgetExceeded, CallExceeded
from kubestage.objects.custom import correlation, field_paths
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.custom.correlation import Correlated
    from kubestage.objects.custom.nodes import Node
    from kubestage.objects.validation.field import FieldError


class RuleError(KubestageError):
    """A rule that cannot be compiled, or that failed on a value; the message is the server's."""


class WordingError(KubestageError):
    """The message of a broken rule cost too much; this is the server's message instead."""


class RuleData(NamedTuple):
    """A value and its old one, as rules see them, their size, and what may be spent on them."""

    new: Any
    old: Any
    size: int
    budget: Budget


_NO_BUDGET: Final = (
    "validation failed due to running out of cost budget, no further validation rules will be run"
)


def exist(node: Node) -> bool:
    """Whether a schema, or one in it, has rules."""
    if node.rules:
        return True
    below = [*node.properties.values(), node.items, node.additional]
    return any(each is not None and exist(each) for each in below)


class Rule(abc.ABC):
    """One rule, with the words for when it is broken."""

    uses_old: bool
    has_wording = False
    """Whether the message of a broken rule has a cost."""

    def __init__(self, rule: Json, node: Node) -> None:
        self.optional_old = bool(rule.get("optionalOldSelf"))
        self.reason: str | None = rule.get("reason")
        self.message = (rule.get("message") or "").strip()
        self.name = self.message or rule["rule"].strip()
        self.below = ""
        if rule.get("fieldPath"):
            self.below = field_paths.normalized(rule["fieldPath"], node)

    @abc.abstractmethod
    def holds(self, data: RuleData) -> bool:
        """Whether the rule holds of a value; RuleError if that cannot be decided."""

    def detail(self, data: RuleData) -> str:
        """What to say of a value that breaks the rule."""
        del data
        return self.message or f"failed rule: {self.name}"

    def failure(self, problem: str) -> str:
        """What to say of a value on which the rule failed."""
        return f"{problem} evaluating rule: {self.name}"

    def too_costly(self, problem: str) -> str:
        """What to say of a value on which the rule took too long."""
        return (
            f"'{problem}': no further validation rules will be run due to call cost exceeds limit "
            f"for rule: {self.name}"
        )

    def place(self, path: str) -> str:
        """Where an error is shown, of a value at a path."""
        if not self.below:
            return path
        return self.below if path == "<nil>" else f"{path}.{self.below}"

    def broken(self, path: str, value: Any, detail: str) -> FieldError:
        """The error, of the type that the rule sets."""
        at = self.place(path)
        if self.reason == "FieldValueForbidden":
            return field.forbidden(at, detail)
        if self.reason == "FieldValueRequired":
            return field.required(at, detail)
        if self.reason == "FieldValueDuplicate":
            return field.duplicate(at, value)
        return field.invalid(at, value, detail)


class RuleTree(abc.ABC):
    """The rules of a schema and of those in it that have any."""

    def __init__(self, node: Node, *, is_root: bool) -> None:
        self.node = node
        self.is_root = is_root
        self.rules = [self.compiled(each) for each in node.rules]
        self.items = self._below(node.items)
        self.additional = self._below(node.additional)
        self.properties = {
            name: type(self)(child, is_root=child.is_embedded)
            for name, child in node.properties.items()
            if exist(child)
        }

    @abc.abstractmethod
    def compiled(self, rule: Json) -> Rule:
        """A rule of this schema, ready to be decided."""

    def seen(self, value: Any) -> Any:
        """A value as the rules of this schema see it."""
        return value

    def _below(self, node: Node | None) -> Self | None:
        if node is None or not exist(node):
            return None
        return type(self)(node, is_root=node.is_embedded)

    def size(self, new: Any, old: Any) -> int:
        """The size of values, if rules of this kind have a cost that depends on it."""
        del new, old
        return 0

    def validate(
        self,
        new: Any,
        old: Any,
        path: str,
        pair: Correlated | None,
        parent: Correlated | None,
        budget: Budget,
    ) -> list[FieldError]:
        """All broken rules; of values that did not change only those about the change itself.

        `pair` is what the value replaced, `parent` the same of the nearest value around it of
        which that is known.
        """
        if new is None or budget.is_over:
            return []
        errors = self._check_here(new, old, path, pair or parent, budget) if self.rules else []
        at = "" if path == "<nil>" else path
        if type(new) is list and self.items is not None:
            known = correlation.old_items(self.node, old)
            for index, item in enumerate(new):
                key = correlation.map_key(item, self.node.map_keys)
                before = known.get(key) if key is not None else None
                below = None if pair is None else pair.index(index)
                above = parent if pair is None else pair
                where = f"{at}[{index}]"
                errors += self.items.validate(item, before, where, below, above, budget)
        elif type(new) is dict:
            before_all = old if type(old) is dict else {}
            for name, item in new.items():
                tree = self.properties.get(name)
                where = f"{at}.{name}" if at else name
                if tree is None:
                    tree, where = self.additional, f"{at}[{name}]"
                if tree is None:
                    continue
                below = None if pair is None else pair.key(name)
                above = parent if pair is None else pair
                before = before_all.get(name)
                errors += tree.validate(item, before, where, below, above, budget)
        return errors

    def _check_here(
        self, new: Any, old: Any, path: str, known: Correlated | None, budget: Budget
    ) -> list[FieldError]:
        kind = self.node.type
        if budget.left <= 0:
            budget.is_over = True
            return [field.invalid(path, kind, _NO_BUDGET)]
        errors: list[FieldError] = []
        seen = self.seen(new)
        before = None if old is None else self.seen(old)
        data = RuleData(seen, before, self.size(seen, before), budget)
        shown = field.OMITTED if kind in ("object", "array") else new
        for rule in self.rules:
            if rule.uses_old and old is None and not rule.optional_old:
                continue
            try:
                if rule.holds(data):
                    continue
            except RuleError as problem:
                errors.append(field.invalid(path, kind, rule.failure(str(problem))))
                continue
            except CallExceeded as problem:
                return [*errors, field.invalid(path, kind, rule.too_costly(str(problem)))]
            except BudgetExceeded:
                return [*errors, field.invalid(path, kind, _NO_BUDGET)]
            is_old = not rule.uses_old and known is not None and known.is_unchanged
            if is_old and not rule.has_wording:
                continue
            try:
                error = rule.broken(path, shown, rule.detail(data))
            except WordingError as problem:
                error = field.invalid(rule.place(path), kind, str(problem))
            errors += [] if is_old else [error]
            if budget.is_over:
                return errors
        return errors
