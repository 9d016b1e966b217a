"""Rules of a definition as the CEL library decides them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.cel import functions
from kubestage.objects.custom import cel_names, rule_tree
from kubestage.objects.custom.cel_programs import Program
from kubestage.objects.custom.rule_tree import RuleError

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.custom.nodes import Node

_MESSAGE_LIMIT: Final = 5120


class CompiledRule(rule_tree.Rule):
    """One rule, compiled."""

    def __init__(self, rule: Json, node: Node, *, is_root: bool) -> None:
        super().__init__(rule, node)
        self.program = Program(rule["rule"], node, is_root=is_root, optional_old=self.optional_old)
        self.uses_old = self.program.uses_old_self
        expression = rule.get("messageExpression")
        self.wording: Program | None = None
        if expression:
            self.wording = Program(expression, node, is_root=is_root, optional_old=False)

    def holds(self, new: Any, old: Any) -> bool:
        """Whether the expression is true."""
        return self.program.run(new, old) is True

    def detail(self, new: Any, old: Any) -> str:
        """What to say of a value that breaks the rule: its message may be an expression, too."""
        if self.wording is not None:
            try:
                text = self.wording.run(new, old)
            except RuleError:
                text = None
            if isinstance(text, str):
                text = text.strip()
                if text and "\n" not in text and len(text.encode()) <= _MESSAGE_LIMIT:
                    return text
        return super().detail(new, old)

    def failure(self, problem: str) -> str:
        """What to say of a value on which the rule failed."""
        if problem.startswith(functions.NO_OVERLOAD):
            return (
                f"'{problem}': call arguments did not match a supported operator, function or "
                f"macro signature for rule: {self.name}"
            )
        return super().failure(problem)


class RuleTree(rule_tree.RuleTree):
    """The rules of a schema, compiled by the library."""

    def compiled(self, rule: Json) -> CompiledRule:
        """A compiled rule."""
        return CompiledRule(rule, self.node, is_root=self.is_root)

    def seen(self, value: Any) -> Any:
        """A value under the names that expressions know."""
        return cel_names.value(value, self.node, is_root=self.is_root)
