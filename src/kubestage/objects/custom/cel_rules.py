"""Rules of a definition as the CEL library decides them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.cel import costs, functions
from kubestage.objects.cel.budget import BudgetExceeded, CallExceeded
from kubestage.objects.custom import cel_names, rule_tree
from kubestage.objects.custom.cel_programs import Program
from kubestage.objects.custom.rule_tree import RuleData, RuleError, WordingError
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.custom.nodes import Node

_MESSAGE_LIMIT: Final = 5120
_NO_BUDGET: Final = (
    "messageExpression evaluation failed due to running out of cost budget, no further validation "
    "rules will be run"
)
_TOO_COSTLY: Final = (
    "no further validation rules will be run due to call cost exceeds limit for messageExpression: "
)


class CompiledRule(rule_tree.Rule):
    """One rule, compiled."""

    def __init__(self, rule: Json, node: Node, *, is_root: bool) -> None:
        super().__init__(rule, node)
        self.program = Program(rule["rule"], node, is_root=is_root, optional_old=self.optional_old)
        self.uses_old = self.program.uses_old_self
        self.expression: str = rule.get("messageExpression") or ""
        self.wording: Program | None = None
        self.has_wording = bool(self.expression)
        if self.expression:
            self.wording = Program(self.expression, node, is_root=is_root, optional_old=False)

    def holds(self, data: RuleData) -> bool:
        """Whether the expression is true."""
        return self.program.run(data.new, data.old, data.size, data.budget) is True

    def detail(self, data: RuleData) -> str:
        """What to say of a value that breaks the rule: its message may be an expression, too."""
        if self.wording is not None:
            try:
                text = self.wording.run(data.new, data.old, data.size, data.budget)
            except RuleError:
                text = None
            except BudgetExceeded:
                raise WordingError(_NO_BUDGET) from None
            except CallExceeded:
                raise WordingError(f"{_TOO_COSTLY}{field.quote(self.expression)}") from None
            if isinstance(text, str):
                text = text.strip()
                if text and "\n" not in text and len(text.encode()) <= _MESSAGE_LIMIT:
                    return text
        return super().detail(data)

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

    def size(self, new: Any, old: Any) -> int:
        """The size of values, as costs count it."""
        return costs.size_of([new, old])

    def seen(self, value: Any) -> Any:
        """A value under the names that expressions know."""
        return cel_names.value(value, self.node, is_root=self.is_root)
