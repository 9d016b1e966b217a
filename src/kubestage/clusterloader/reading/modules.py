"""Modules: steps in files of their own, put where they are named."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

from kubestage.clusterloader.reading import undefined
from kubestage.clusterloader.reading.fields import Fields
from kubestage.clusterloader.reading.problems import Place
from kubestage.clusterloader.reading.steps import STEP
from kubestage.errors import InputError

if TYPE_CHECKING:
    from kubestage.clusterloader.reading.problems import Problems
    from kubestage.clusterloader.reading.steps import PlacedStep, StepReader
    from kubestage.clusterloader.templating.templates import Templates

_DEEPEST: Final = 50


class Flattening:
    """Makes one list of the steps of a configuration and of its modules.

    A module is rendered with the configuration's mapping and its own parameters, not those of the
    module around it. Steps that are to be skipped are left out wherever they are.
    """

    def __init__(
        self,
        reader: StepReader,
        templates: Templates,
        mapping: dict[str, Any],
        problems: Problems,
        skipped: frozenset[str],
    ) -> None:
        self._reader = reader
        self._templates = templates
        self._mapping = mapping
        self._problems = problems
        self._skipped = skipped
        self._names: dict[str, None] = {}
        self._depth = 0

    def steps(self, outer: Fields) -> list[PlacedStep]:
        """The steps of a configuration or module, in order."""
        found: list[PlacedStep] = []
        for value, place in outer.items("steps"):
            fields = Fields(value, place, self._problems, STEP)
            if not fields.is_sound:
                continue
            name = fields.text("name")
            self._names[name] = None
            if name in self._skipped:
                continue
            module = self._module(fields)
            if module is None:
                found.append(self._reader.step(fields))
            else:
                found.extend(self._flattened(*module, place))
        return found

    def warn_of_missing(self) -> None:
        """Report which of the skipped steps do not exist."""
        for name in sorted(self._skipped.difference(self._names)):
            close = difflib.get_close_matches(name, list(self._names), 1)
            fix = f" (did you mean {close[0]!r}?)" if close else ""
            self._problems.warnings.append(f"--skip-steps: no step is called {name!r}{fix}")

    def _module(self, fields: Fields) -> tuple[str, dict[str, Any]] | None:
        if "module" not in fields:
            return None
        place = fields.place.child("module")
        inner = Fields(fields.value("module"), place, self._problems, ("path", "params"))
        path = inner.text("path")
        for name in ("phases", "measurements"):
            if path and name in fields:
                fix = "make a step of its own of it"
                self._problems.odd(fields.place.child(name), "is ignored beside a module", fix)
        return (path, inner.mapping("params")) if path else None

    def _flattened(self, path: str, params: dict[str, Any], place: Place) -> list[PlacedStep]:
        if self._depth == _DEEPEST:
            self._problems.error(place.child("module.path"), f"module {path} contains itself")
            return []
        try:
            value = self._templates.value(path, {**self._mapping, **params})
        except InputError as error:
            if error.path is None:
                error.path = f"(module of {place.file}: {place.path})"
            self._problems.add(error)
            return []
        self._problems.reading(path, value)
        undefined.report(value, Place(path), self._problems)
        self._depth += 1
        inside = Fields({} if value is None else value, Place(path), self._problems, ("steps",))
        found = self.steps(inside)
        self._depth -= 1
        return found
