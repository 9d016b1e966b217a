"""Rules of a definition (``x-kubernetes-validations``) over the objects that it defines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.cel import functions
from kubestage.objects.custom import cel_names, correlation, field_paths
from kubestage.objects.custom.cel_programs import Program, RuleError
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.custom.correlation import Correlated
    from kubestage.objects.custom.nodes import Node
    from kubestage.objects.validation.field import FieldError


_MESSAGE_LIMIT: Final = 5120


def exist(node: Node) -> bool:
    """Whether a schema, or one in it, has rules."""
    if node.rules:
        return True
    below = [*node.properties.values(), node.items, node.additional]
    return any(each is not None and exist(each) for each in below)


class CompiledRule:
    """One rule, compiled, with the words for when it is broken."""

    def __init__(self, rule: Json, node: Node, *, is_root: bool) -> None:
        self.optional_old = bool(rule.get("optionalOldSelf"))
        self.program = Program(rule["rule"], node, is_root=is_root, optional_old=self.optional_old)
        self.reason: str | None = rule.get("reason")
        self.message = (rule.get("message") or "").strip()
        self.name = self.message or rule["rule"].strip()
        expression = rule.get("messageExpression")
        self.wording: Program | None = None
        if expression:
            self.wording = Program(expression, node, is_root=is_root, optional_old=False)
        self.below = ""
        if rule.get("fieldPath"):
            self.below = field_paths.normalized(rule["fieldPath"], node)

    def detail(self, new: Any, old: Any) -> str:
        """What to say of a value that breaks the rule."""
        if self.wording is not None:
            try:
                text = self.wording.run(new, old)
            except RuleError:
                text = None
            if isinstance(text, str):
                text = text.strip()
                if text and "\n" not in text and len(text.encode()) <= _MESSAGE_LIMIT:
                    return text
        return self.message or f"failed rule: {self.name}"

    def broken(self, path: str, value: Any, detail: str) -> FieldError:
        """The error, of the type that the rule sets."""
        at = path
        if self.below:
            at = self.below if path == "<nil>" else f"{path}.{self.below}"
        if self.reason == "FieldValueForbidden":
            return field.forbidden(at, detail)
        if self.reason == "FieldValueRequired":
            return field.required(at, detail)
        if self.reason == "FieldValueDuplicate":
            return field.duplicate(at, value)
        return field.invalid(at, value, detail)


class RuleTree:
    """The rules of a schema and of those in it that have any."""

    def __init__(self, node: Node, *, is_root: bool) -> None:
        self.node = node
        self.is_root = is_root
        self.rules = [CompiledRule(each, node, is_root=is_root) for each in node.rules]
        self.items = _tree(node.items)
        self.additional = _tree(node.additional)
        self.properties = {
            name: RuleTree(child, is_root=child.is_embedded)
            for name, child in node.properties.items()
            if exist(child)
        }

    def validate(
        self, new: Any, old: Any, path: str, pair: Correlated | None, parent: Correlated | None
    ) -> list[FieldError]:
        """All broken rules; of values that did not change only those about the change itself.

        `pair` is what the value replaced, `parent` the same of the nearest value around it of
        which that is known.
        """
        if new is None:
            return []
        errors = self._check_here(new, old, path, pair or parent) if self.rules else []
        at = "" if path == "<nil>" else path
        if type(new) is list and self.items is not None:
            known = correlation.old_items(self.node, old)
            for index, item in enumerate(new):
                key = correlation.map_key(item, self.node.map_keys)
                before = known.get(key) if key is not None else None
                below = None if pair is None else pair.index(index)
                above = parent if pair is None else pair
                errors += self.items.validate(item, before, f"{at}[{index}]", below, above)
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
                errors += tree.validate(item, before_all.get(name), where, below, above)
        return errors

    def _check_here(
        self, new: Any, old: Any, path: str, known: Correlated | None
    ) -> list[FieldError]:
        errors: list[FieldError] = []
        node = self.node
        seen = cel_names.value(new, node, is_root=self.is_root)
        before = None if old is None else cel_names.value(old, node, is_root=self.is_root)
        for rule in self.rules:
            uses_old = rule.program.uses_old_self
            if uses_old and old is None and not rule.optional_old:
                continue
            try:
                if rule.program.run(seen, before) is True:
                    continue
            except RuleError as problem:
                errors.append(_failed(path, node, rule, str(problem)))
                continue
            if not uses_old and known is not None and known.is_unchanged:
                continue
            shown = field.OMITTED if node.type in ("object", "array") else new
            errors.append(rule.broken(path, shown, rule.detail(seen, before)))
        return errors


def _tree(node: Node | None) -> RuleTree | None:
    if node is None or not exist(node):
        return None
    return RuleTree(node, is_root=node.is_embedded)


def _failed(path: str, node: Node, rule: CompiledRule, problem: str) -> FieldError:
    if problem.startswith(functions.NO_OVERLOAD):
        text = (
            f"'{problem}': call arguments did not match a supported operator, function or macro "
            f"signature for rule: {rule.name}"
        )
    else:
        text = f"{problem} evaluating rule: {rule.name}"
    return field.invalid(path, node.type, text)
