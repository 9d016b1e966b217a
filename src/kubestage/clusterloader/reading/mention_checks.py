"""Checks of the measurements that steps mention: methods, actions, parameters."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Protocol

from kubestage.errors import InputError
from kubestage.measure import measurement, param_checks, params
from kubestage.measure.measurements import with_action

if TYPE_CHECKING:
    from kubestage.clusterloader.config import Mention
    from kubestage.clusterloader.reading.problems import Place, Problems
    from kubestage.measure.measurement import Measurement


class Methods(Protocol):
    """The methods of measurements there are."""

    def __contains__(self, method: str, /) -> bool:
        """Whether there is one of this name."""


class MentionChecks:
    """Follows the mentions in their order: a measurement is started before it gathers.

    ClusterLoader2 reads parameters when the step is there, so what is wrong with them fails a run
    and does not refuse a configuration.
    """

    def __init__(self, methods: Methods, problems: Problems) -> None:
        self._methods: Any = methods
        self._problems = problems
        self._started: set[tuple[str, str]] = set()

    def check(self, mention: Mention, place: Place) -> None:
        """Report what is wrong with a mention."""
        if not mention.method:
            self._problems.error(place.child("method"), "method is required")
        elif mention.method not in self._methods:
            self._unknown_method(mention.method, place.child("method"))
        elif callable(getattr(self._methods, "find", None)):
            kind = self._methods.find(mention.method)
            if not mention.instances:
                self._instance(mention.method, mention.identifier, mention.params, kind, place)
            for index, each in enumerate(mention.instances):
                merged = {**mention.params, **each.params}
                inner = place.child("instances").at(index)
                self._instance(mention.method, each.identifier, merged, kind, inner)

    def _unknown_method(self, method: str, place: Place) -> None:
        names: Any = getattr(self._methods, "names", None)
        known = list(names()) if callable(names) else []
        close = difflib.get_close_matches(method, known, 1)
        self._problems.error(
            place,
            f"{method!r}: measurement method is not registered",
            f"did you mean {close[0]!r}?" if close else "add your own with --measurement",
        )

    def _instance(
        self,
        method: str,
        identifier: str,
        raw: dict[str, Any],
        kind: type[Measurement[Any]],
        place: Place,
    ) -> None:
        problems = self._problems
        try:
            typed, strange = params.typed(kind.params_type, with_action(raw))
        except InputError as problem:
            problems.failing(place.child(problem.path or "params"), problem.problem, problem.fix)
            return
        for each in strange:
            key, _, text = each.partition(": ")
            reason, _, fix = text.partition("; ")
            problems.odd(place.child(key), reason, fix or None)
        for error in param_checks.problems(typed):
            problems.failing(place.child(error.path or "params"), error.problem, error.fix)
        self._action(typed.action, (method, identifier), kind, place.child("params.action"))

    def _action(
        self, action: str, key: tuple[str, str], kind: type[Measurement[Any]], place: Place
    ) -> None:
        known = measurement.known_actions(kind)
        if known and action not in known:
            error = measurement.unknown_action(action, *known)
            self._problems.failing(place, error.problem, error.fix)
        elif action == "gather" and kind.needs_start and key not in self._started:
            self._problems.failing(
                place,
                f"{key[0]} - {key[1]} gathers and was not started",
                "start it in an earlier step, with the same method and identifier",
            )
        else:
            self._started.add(key)
