"""Rules of one's own: Python functions.

::

    def no_latest(side):
        for pod in side.pods:
            if pod["spec"]["containers"][0]["image"].endswith(":latest"):
                yield "pod/" + pod["metadata"]["name"], "has the tag latest"

A function of one side is called for each, and what it finds on both is not new. One with two
parameters gets the base, which may be None, and the head; what it finds is new.
"""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from kubestage.errors import InputError
from kubestage.results.verdict.verdict import Finding
from kubestage.runs.check.rules.rule import Rule, RuleSettings, Violation
from kubestage.runs.inputs import python_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.runs.check.rules.rule import RuleContext
    from kubestage.runs.check.side import Side

_EXPECTED: Final = "write def NAME(side): ... or def NAME(base, head): ..., docs/check.md has both"
_RETURNS: Final = "yield a text, (object, text), or a Finding"


class FunctionSettings(RuleSettings, frozen=True, kw_only=True):
    """Where a function is, and what its rule is called."""

    function: str
    """As in ``rules.py:no_latest``."""
    name: str = ""
    """By default that of the function."""
    about: str = ""
    """What it requires; by default the first line of its docstring."""


class FunctionRule(Rule[FunctionSettings]):
    """A rule that a Python function decides."""

    name: ClassVar[str] = "function"
    Settings = FunctionSettings

    def __init__(self, settings: FunctionSettings, folder: str = "") -> None:
        super().__init__(settings)
        file, _, name = settings.function.rpartition(":")
        if not file.endswith(".py") or not name.isidentifier():
            fix = "write it as in rules.py:no_latest"
            problem = f'"{settings.function}" is no file and name'
            raise InputError(problem, path="rules.function", fix=fix)
        self._file = os.path.normpath(os.path.join(folder, file))
        module = python_file.load(self._file, "kubestage_rule", _EXPECTED)
        found = getattr(module, name, None)
        if not callable(found):
            raise InputError(f"has no function {name}", file=self._file, fix=_EXPECTED)
        self._function: Callable[..., Any] = found
        self._sides = len(inspect.signature(found).parameters)
        if self._sides not in (1, 2):
            problem = f"{name} has {self._sides} parameters, and needs one or two"
            raise InputError(problem, file=self._file, fix=_EXPECTED)
        self._name = name

    @property
    def title(self) -> str:
        """What reports call it."""
        return self.settings.name or self._name.replace("_", "-")

    @property
    def about(self) -> str:
        """What it requires."""
        described = inspect.getdoc(self._function) or self.settings.function
        return self.settings.about or described.splitlines()[0].rstrip(".")

    def check(self, context: RuleContext) -> Iterator[Finding]:
        """What the function finds."""
        if self._sides == 2:
            yield from self._found(context.head, context.base, context.head)
            return
        found = list(self._found(context.head, context.head))
        known = set()
        if found and context.base is not None:
            known = {(each.subject, each.text) for each in self._found(context.base, context.base)}
        for each in found:
            is_new = each.is_new and (each.subject, each.text) not in known
            yield msgspec.structs.replace(each, is_new=is_new)

    def _found(self, side: Side, *sides: Side | None) -> Iterator[Finding]:
        with python_file.error_context(self._file):
            results = list(self._function(*sides) or ())
        for each in results:
            finding = self._finding(side, each)
            if self.applies_to(finding.subject):
                yield finding

    def _finding(self, side: Side, result: Any) -> Finding:
        if isinstance(result, Finding):
            return msgspec.structs.replace(result, rule=self.title)
        if isinstance(result, str):
            violation = Violation("cluster", result, 0)
        elif isinstance(result, tuple) and [type(part) for part in result] == [str, str]:
            violation = Violation(result[0], result[1], 0)
        else:
            problem = f"{self.settings.function} gives {result!r}, and no finding"
            raise InputError(problem[:300], file=self._file, fix=_RETURNS)
        return self.finding(side, violation)
