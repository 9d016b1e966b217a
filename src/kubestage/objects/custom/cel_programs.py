"""Rules compiled by the CEL library, and its answers in the API server's words."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import LimitExceeded
from kubestage.objects.cel import (
    costs,
    environments,
    list_functions,
    static_cost,
    syntax,
    wording,
)
from kubestage.objects.cel.budget import CALL_LIMIT
from kubestage.objects.cel.checker import Checked
from kubestage.objects.cel.counting import Counted
from kubestage.objects.cel.guard import Guarded
from kubestage.objects.cel.values import NOTHING, Failure, Optional
from kubestage.objects.custom import cel_names, cel_tree
from kubestage.objects.custom.declared_types import SchemaTypes
from kubestage.objects.custom.rule_tree import RuleError

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.cel.budget import Budget
    from kubestage.objects.custom.nodes import Node

# The old value of a rule that can do without one, in a list that may be empty.
_OLD: Final = "__old"
# The library counts turns of loops, whatever they cost.
_TOO_MANY_TURNS: Final = "Iteration budget exceeded"


class Program:
    """One expression over `self` and `oldSelf`."""

    def __init__(self, text: str, node: Node, *, is_root: bool, optional_old: bool) -> None:
        self.optional_old = optional_old
        environment = _environment(_type_key(node), optional_old)
        if len(text) > costs.LONGEST:
            raise RuleError(f"compilation failed: {costs.TOO_LONG}")
        try:
            checked = environment.compile(text)
        except RuntimeError as error:
            raise RuleError(f"compilation failed: {wording.plain(str(error))}") from None
        facts = cel_tree.facts(
            checked.serialize(), node, is_root=is_root, optional_old=optional_old
        )
        if facts.problems:
            shown = "\n".join(_located(text, problem) for problem in facts.problems)
            raise RuleError(f"compilation failed: {shown}")
        self.result: str = checked.return_type().name()
        self._tree: bytes = checked.serialize()
        self._node = node
        self._is_root = is_root
        self.uses_old_self = facts.uses_old_self
        self._program = Guarded(checked)
        if optional_old and facts.uses_old_self:
            known = f"{_OLD}.size() == 1 ? optional.of({_OLD}[0]) : optional.none()"
            bound = environment.compile(f"cel.bind(oldSelf, {known}, {text})")
            self._program = Guarded(bound)

    @functools.cached_property
    def _data(self) -> SchemaTypes:
        return SchemaTypes(self._node, is_root=self._is_root, optional_old=self.optional_old)

    @property
    def fewest_bytes(self) -> int:
        """How small a value can be that the expression is about."""
        return self._data.declared.size

    @functools.cached_property
    def most_cost(self) -> int:
        """What the expression can cost at most."""
        return static_cost.estimate(self._checked(), self._data.size).most

    def _checked(self) -> Checked:
        return Checked(syntax.read(self._tree), self._data.variables, self._data.field)

    def run(self, new: Any, old: Any, size: int, budget: Budget) -> Any:
        """The value of the expression for data of a size; RuleError if there is none."""
        if not budget.admits(self._program.most_cost(size)):
            return self._counted_run(new, old, budget)
        data: Json = {"self": new, "oldSelf": old}
        if self.optional_old:
            data = {"self": new, "oldSelf": None, _OLD: [] if old is None else [old]}
        elif not self.uses_old_self:
            data = {"self": new}
        try:
            kind, value = self._program.eval(data)
        except LimitExceeded:
            return self._counted_run(new, old, budget)
        except (RuntimeError, TypeError) as error:
            return self._failed(str(error), new, old, budget)
        if kind == "ERROR":
            return self._failed(str(value), new, old, budget)
        return value

    def _failed(self, text: str, new: Any, old: Any, budget: Budget) -> Any:
        """The value for which the library's own limits were too low; RuleError if that is all."""
        if _TOO_MANY_TURNS in text:
            return self._counted_run(new, old, budget)
        raise RuleError(wording.failed(text))

    @functools.cached_property
    def _counted(self) -> Counted:
        return Counted(self._checked())

    def _counted_run(self, new: Any, old: Any, budget: Budget) -> Any:
        """As `run`, with what it costs."""
        before = old
        if self.optional_old:
            before = NOTHING if old is None else Optional(old)
        try:
            result = self._counted.run({"self": new, "oldSelf": before}, CALL_LIMIT)
        except LimitExceeded as error:
            raise RuleError(error.problem) from None
        budget.pay(result)
        if isinstance(result.value, Failure):
            raise RuleError(result.value.text)
        return result.value


def _located(text: str, problem: cel_tree.Problem) -> str:
    before = text[: problem.offset]
    line = before.count("\n")
    column = problem.offset - (before.rfind("\n") + 1)
    shown = text.split("\n")[line]
    mark = f" | {shown}\n | {'.' * column}^"
    return f"ERROR: <input>:{line + 1}:{column + 1}: {problem.text}\n{mark}"


def _type_key(node: Node) -> str:
    """A type in one word, so that schemas of one type share an environment."""
    if node.int_or_string or not cel_names.is_exposed(node):
        return "dyn"
    if node.type == "array":
        assert node.items is not None
        return f"[{_type_key(node.items)}"
    if node.type == "object":
        return "{dyn" if node.additional is None else "{" + _type_key(node.additional)
    return node.type


def _type(key: str) -> Any:
    types = environments.library().Type
    if key[0] == "[":
        return types.List(_type(key[1:]))
    if key[0] == "{":
        return types.Map(types.STRING, _type(key[1:]))
    plain = {
        "string": types.STRING,
        "boolean": types.BOOL,
        "number": types.DOUBLE,
        "integer": types.INT,
    }
    return plain.get(key, types.DYN)


@functools.cache
def _environment(key: str, optional_old: bool) -> Any:
    """What a rule may use: a value and its old one, and the functions of Kubernetes."""
    types = environments.library().Type
    value = _type(key)
    variables = {"self": value, "oldSelf": types.DYN if optional_old else value}
    if optional_old:
        variables[_OLD] = types.List(value)
    return environments.environment(variables, environments.calls() + list_functions.declared())
