"""Expressions of one policy or webhook over one request, with the variables that they share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.admission import programs
from kubestage.objects.admission.programs import ExpressionError
from kubestage.objects.admission.variables import Declarations
from kubestage.objects.cel import budget as budgets
from kubestage.objects.cel import costs
from kubestage.objects.cel.budget import BudgetExceeded
from kubestage.objects.cel.run import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.objects.cel.budget import Budget

NO_BUDGET: Final = (
    "validation failed due to running out of cost budget, no further validation rules will be run"
)
_VARIABLE: Final = re.compile(r"\bvariables\s*\.\s*(\w+)")


class Evaluation:
    """The values of expressions over one request.

    A variable is evaluated when an expression that names it is, and once; each part of a policy
    pays for it.
    """

    def __init__(
        self,
        data: dict[str, Any],
        budget: Budget,
        *,
        has_params: bool = False,
        variables: Sequence[dict[str, Any]] = (),
    ) -> None:
        self._data = dict(data)
        self._budget = budget
        self._size = costs.size_of(list(data.values()))
        self._variables = list(variables)
        base = Declarations(has_params=has_params)
        self._declared = programs.with_variables(base, self._variables)
        self._base = base
        self._failures: dict[str, str] = {}
        self._known: set[str] = set()
        self._costs: dict[str, int] = {}
        self._paid: set[str] = set()

    def begin(self, budget: Budget) -> None:
        """Go on with another part of a policy, which has a budget of its own or shares one."""
        self._budget = budget
        self._paid = set()

    def value(
        self, text: str, returns: tuple[str, ...] = programs.ANY, *, has_authorizer: bool = True
    ) -> Any:
        """What an expression evaluates to; ExpressionError if that is nothing.

        `BudgetExceeded` if it costs more than is left.
        """
        found = self._program(text, returns, has_authorizer=has_authorizer)
        try:
            return found.run(self._data, self._failures, self._size, self._budget)
        except ExpressionError as error:
            raise ExpressionError(f"expression '{text}' resulted in error: {error}") from None

    def text(self, expression: str, *, is_needed: bool) -> str:
        """What a message says, without space around it; nothing if it is only to be paid for."""
        if not is_needed:
            found = self._program(expression, programs.TEXT, has_authorizer=False)
            if self._budget.admits(found.most_cost(self._size)):
                return ""
        return str(self.value(expression, programs.TEXT, has_authorizer=False)).strip()

    def _program(
        self, text: str, returns: tuple[str, ...], *, has_authorizer: bool
    ) -> programs.Program:
        """An expression, with the variables that it needs evaluated."""
        declared = self._declared._replace(has_authorizer=has_authorizer)
        try:
            found = programs.program(text, declared, returns)
        except ExpressionError as error:
            raise ExpressionError(f"compilation error: {error}") from None
        self._bind(text)
        return found

    def _bind(self, text: str) -> None:
        """Evaluate the variables that an expression may ask for."""
        used = set(_VARIABLE.findall(text))
        for index, each in enumerate(self._variables):
            name = each["name"]
            if name not in used or name in self._paid:
                continue
            self._paid.add(name)
            self._bind(each["expression"])
            if name in self._known:
                self._budget.pay(Result(None, self._costs.get(name, 0)))
                continue
            self._known.add(name)
            before = tuple(self._declared.variables[:index])
            try:
                found = programs.program(each["expression"], self._base._replace(variables=before))
            except ExpressionError as error:
                self._failures[name] = f'composited variable "{name}" fails to compile: {error}'
                continue
            self._evaluate(name, found)

    def _evaluate(self, name: str, found: programs.Program) -> None:
        left = self._budget.left
        try:
            value = found.run(self._data, self._failures, self._size, self._budget)
            self._data[f"variables.{name}"] = value
            self._size += costs.size_of(value)
        except ExpressionError as error:
            self._failures[name] = f'composited variable "{name}" fails to evaluate: {error}'
        self._costs[name] = left - self._budget.left


class Match(NamedTuple):
    """Whether match conditions hold; why that is not known."""

    matches: bool
    error: str = ""


def match(
    make: Callable[[Budget], Evaluation], conditions: Sequence[dict[str, Any]], *, fails: bool
) -> Match:
    """Whether all conditions hold; one that does not decides, whatever others say.

    All are evaluated, by what `make` makes for their budget: together they may cost too much.
    """
    if not conditions:
        return Match(matches=True)
    return budgets.within(
        budgets.CONDITIONS_LIMIT, lambda left: _matched(make(left), conditions, fails=fails)
    )


def _matched(evaluation: Evaluation, conditions: Sequence[dict[str, Any]], *, fails: bool) -> Match:
    problems, holds = [], True
    for each in conditions:
        try:
            if evaluation.value(each["expression"], programs.BOOL) is False:
                holds = False
        except ExpressionError as error:
            problems.append(str(error))
        except BudgetExceeded:
            return Match(matches=False, error=NO_BUDGET if fails else "")
    if not holds:
        return Match(matches=False)
    if not problems:
        return Match(matches=True)
    if not fails:
        return Match(matches=False)
    unique = list(dict.fromkeys(problems))
    return Match(matches=False, error=unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]")
