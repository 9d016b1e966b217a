"""Expressions of policies and match conditions: compiled once, and evaluated for each request."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import KubestageError, LimitExceeded
from kubestage.objects.admission import expression_types, object_literals, variables
from kubestage.objects.cel import costs, syntax, wording
from kubestage.objects.cel.budget import CALL_LIMIT, CallExceeded
from kubestage.objects.cel.checker import Checked
from kubestage.objects.cel.counting import Counted
from kubestage.objects.cel.guard import Guarded
from kubestage.objects.cel.run import CANCELLED
from kubestage.objects.cel.values import Failure
from kubestage.objects.custom import cel_tree

if TYPE_CHECKING:
    from kubestage.objects.admission.variables import Declarations
    from kubestage.objects.cel.budget import Budget

_REMEMBERED: Final = 4096
# The library counts turns of loops, whatever they cost.
_TOO_MANY_TURNS: Final = "Iteration budget exceeded"
_UNBOUND: Final = re.compile(r'No value with name "variables\.(\w+)" found in Activation')
_QUALIFIED: Final = re.compile(r"undeclared reference to '(\w+)\.[\w.]+'")
_NAMES: Final = {"BOOL": "bool", "STRING": "string", "INT": "int", "NULL": "null_type"}
# The types that an expression may have, as the API server names them.
BOOL: Final = ("bool",)
TEXT: Final = ("string",)
TEXT_OR_NULL: Final = ("string", "null_type")
OBJECT: Final = ("Object",)
PATCHES: Final = ("list(JSONPatch)",)
ANY: Final = ()
SCOPE: Final = {"request": variables.REQUEST, "namespaceObject": variables.NAMESPACE}
"""The variables of which the fields are always known."""
_REQUEST: Final = {"request": variables.REQUEST}
_AS_MAPS: Final = {"Object": "map", "list(JSONPatch)": "list"}


class ExpressionError(KubestageError):
    """An expression that cannot be compiled, or has no value; the message is the server's."""


class Program:
    """One compiled expression; `kind` is the type of its value, as the library names it."""

    def __init__(self, text: str, declared: Declarations) -> None:
        if len(text) > costs.LONGEST:
            raise ExpressionError(f"compilation failed: {costs.TOO_LONG}")
        self.text = text
        untyped, compiled = _compiled(text, declared)
        self.kind: str = compiled.return_type().name()
        self._program = Guarded(compiled)
        self._tree: bytes = untyped.serialize()
        self._declared = declared

    def most_cost(self, size: int) -> float:
        """What the expression can cost at most on data of a size."""
        return self._program.most_cost(size)

    def run(self, data: dict[str, Any], failures: dict[str, str], size: int, budget: Budget) -> Any:
        """The value for data of a size; `failures` are why variables have none."""
        if not budget.admits(self.most_cost(size)):
            return self._counted_run(data, failures, budget)
        try:
            kind, value = self._program.eval(data)
        except LimitExceeded:
            return self._counted_run(data, failures, budget)
        except (RuntimeError, TypeError) as error:
            kind, value = "ERROR", error
        if kind != "ERROR":
            return value
        if _TOO_MANY_TURNS in str(value):
            return self._counted_run(data, failures, budget)
        raise ExpressionError(_why(str(value), failures))

    @functools.cached_property
    def _counted(self) -> Counted:
        known = expression_types.of(self._declared)
        return Counted(Checked(syntax.read(self._tree), known.variables, known.field))

    def _counted_run(self, data: dict[str, Any], failures: dict[str, str], budget: Budget) -> Any:
        """As `run`, with what it costs."""
        missing = {f"variables.{name}": Failure(why) for name, why in failures.items()}
        try:
            result = self._counted.run({**data, **missing}, CALL_LIMIT)
        except LimitExceeded:
            raise ExpressionError(CANCELLED) from None
        try:
            budget.pay(result)
        except CallExceeded as error:
            raise ExpressionError(str(error)) from None
        if isinstance(result.value, Failure):
            raise ExpressionError(result.value.text)
        return result.value


def _why(text: str, failures: dict[str, str]) -> str:
    unbound = _UNBOUND.search(text)
    if unbound is not None and unbound[1] in failures:
        return failures[unbound[1]]
    return wording.failed(text)


def _compiled(text: str, declared: Declarations) -> tuple[Any, Any]:
    """An expression as it is written, and with the types of the fields that it reads."""
    untyped = compiled(text, declared)
    problems = cel_tree.problems(untyped.serialize(), SCOPE, escapes=False)
    if problems:
        shown = "\n".join(located(text, each) for each in problems)
        raise ExpressionError(f"compilation failed: {shown}")
    typed = {**variables.typed(text, _REQUEST), **dict(declared.typed)}
    if not typed:
        return untyped, untyped
    return untyped, compiled(text, declared._replace(typed=tuple(sorted(typed.items()))))


def compiled(text: str, declared: Declarations) -> Any:
    """An expression as the library compiles it."""
    written = variables.without_questions(text) if declared.typed else text
    try:
        return variables.environment(declared).compile(object_literals.as_maps(written))
    except RuntimeError as error:
        plain = _QUALIFIED.sub(r"undeclared reference to '\1'", wording.plain(str(error)))
        raise ExpressionError(f"compilation failed: {plain}") from None


def located(text: str, problem: cel_tree.Problem) -> str:
    """A mistake and the place of it."""
    before = text[: problem.offset]
    line = before.count("\n")
    column = problem.offset - (before.rfind("\n") + 1)
    shown = text.split("\n")[line] if line <= text.count("\n") else ""
    mark = f" | {shown}\n | {'.' * column}^"
    return f"ERROR: <input>:{line + 1}:{column + 1}: {problem.text}\n{mark}"


@functools.lru_cache(maxsize=_REMEMBERED)
def _found(text: str, declared: Declarations) -> Program | ExpressionError:
    # Compiled programs cannot be pickled, so they live here and nowhere else.
    try:
        return Program(text, declared)
    except ExpressionError as error:
        return error


def program(text: str, declared: Declarations, returns: tuple[str, ...] = ANY) -> Program:
    """An expression that is compiled, and of a type; ExpressionError if it is not."""
    found = _found(text, declared)
    if isinstance(found, ExpressionError):
        raise ExpressionError(str(found))
    if returns and shown_type(found.kind) not in (_AS_MAPS.get(each, each) for each in returns):
        got = shown_type(found.kind)
        if len(returns) == 1:
            raise ExpressionError(f"must evaluate to {returns[0]} but got {got}")
        raise ExpressionError(f"must evaluate to one of [{' '.join(returns)}] but got {got}")
    return found


def shown_type(kind: str) -> str:
    """The name of a type in the API server's words."""
    return _NAMES.get(kind, kind.partition("<")[0].lower())


def with_variables(declared: Declarations, listed: list[dict[str, Any]]) -> Declarations:
    """The declarations of a policy with the variables that it has, each with its type."""
    for each in listed:
        found = _found(each["expression"], declared)
        kind = "DYN" if isinstance(found, ExpressionError) else found.kind
        declared = declared._replace(variables=(*declared.variables, (each["name"], kind)))
    return declared
