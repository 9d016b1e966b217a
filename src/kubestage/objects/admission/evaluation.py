"""Expressions of one policy or webhook over one request, with the variables that they share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.admission import programs
from kubestage.objects.admission.programs import ExpressionError
from kubestage.objects.admission.variables import Declarations

if TYPE_CHECKING:
    from collections.abc import Sequence

_VARIABLE: Final = re.compile(r"\bvariables\s*\.\s*(\w+)")


class Evaluation:
    """The values of expressions over one request.

    A variable is evaluated when an expression that names it is, and once.
    """

    def __init__(
        self,
        data: dict[str, Any],
        *,
        has_params: bool = False,
        variables: Sequence[dict[str, Any]] = (),
    ) -> None:
        self._data = dict(data)
        self._variables = list(variables)
        base = Declarations(has_params=has_params)
        self._declared = programs.with_variables(base, self._variables)
        self._base = base
        self._failures: dict[str, str] = {}
        self._known: set[str] = set()

    def value(
        self, text: str, returns: tuple[str, ...] = programs.ANY, *, has_authorizer: bool = True
    ) -> Any:
        """What an expression evaluates to; ExpressionError if that is nothing."""
        declared = self._declared._replace(has_authorizer=has_authorizer)
        try:
            found = programs.program(text, declared, returns)
        except ExpressionError as error:
            raise ExpressionError(f"compilation error: {error}") from None
        self._bind(text)
        try:
            return found.run(self._data, self._failures)
        except ExpressionError as error:
            raise ExpressionError(f"expression '{text}' resulted in error: {error}") from None

    def _bind(self, text: str) -> None:
        """Evaluate the variables that an expression may ask for."""
        used = set(_VARIABLE.findall(text))
        for index, each in enumerate(self._variables):
            name = each["name"]
            if name not in used or name in self._known:
                continue
            self._known.add(name)
            before = tuple(self._declared.variables[:index])
            try:
                found = programs.program(each["expression"], self._base._replace(variables=before))
            except ExpressionError as error:
                self._failures[name] = f'composited variable "{name}" fails to compile: {error}'
                continue
            self._bind(each["expression"])
            try:
                self._data[f"variables.{name}"] = found.run(self._data, self._failures)
            except ExpressionError as error:
                self._failures[name] = f'composited variable "{name}" fails to evaluate: {error}'


class Match(NamedTuple):
    """Whether match conditions hold; why that is not known."""

    matches: bool
    error: str = ""


def match(evaluation: Evaluation, conditions: Sequence[dict[str, Any]], *, fails: bool) -> Match:
    """Whether all conditions hold; one that does not decides, whatever others say."""
    problems = []
    for each in conditions:
        try:
            if evaluation.value(each["expression"], programs.BOOL) is False:
                return Match(matches=False)
        except ExpressionError as error:
            problems.append(str(error))
    if not problems:
        return Match(matches=True)
    if not fails:
        return Match(matches=False)
    unique = list(dict.fromkeys(problems))
    return Match(matches=False, error=unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]")
