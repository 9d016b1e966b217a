"""Checks of the measurements that steps mention: methods, actions, parameters."""

from __future__ import annotations

import difflib
import functools
import re
from typing import TYPE_CHECKING, Any, Protocol

from kubestage.clusterloader.reading import namespace_ranges
from kubestage.errors import InputError
from kubestage.measure import measurement, param_checks, params, registry
from kubestage.measure.waits.generic_objects import NamespaceRange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Set

    from kubestage.clusterloader.config import Mention, Namespaces
    from kubestage.clusterloader.files import Files
    from kubestage.clusterloader.reading.problems import Place, Problems
    from kubestage.measure.measurement import Measurement
    from kubestage.measure.params import Params

    _Key = tuple[str, str, str]
    """Method, identifier, and what is started where a measurement can start several things."""
    Placing = Callable[[str], Place]
    """Where a path that begins with ``params`` is written."""


class Methods(Protocol):
    """The methods of measurements there are."""

    def __contains__(self, method: str, /) -> bool:
        """Whether there is one of this name."""


class MentionChecks:
    """Follows the mentions in their order: a measurement is started before it gathers.

    ClusterLoader2 reads parameters when the step is there, so what is wrong with them fails a run
    and does not refuse a configuration.
    """

    def __init__(
        self, methods: Methods, files: Files, namespaces: Namespaces, problems: Problems
    ) -> None:
        self._methods: Any = methods
        self._files = files
        self._namespaces = namespaces
        self._problems = problems
        self._started: set[_Key] = set()
        self._starts: dict[_Key, Place] = {}
        self._ended: set[_Key] = set()

    def check(self, mention: Mention, place: Place) -> None:
        """Report what is wrong with a mention."""
        if not mention.method:
            self._problems.error(place.child("method"), "method is required")
        elif mention.method not in self._methods:
            self._unknown_method(mention.method, place.child("method"))
        elif callable(getattr(self._methods, "find", None)):
            kind = self._methods.find(mention.method)
            if not mention.instances:
                key = mention.method, mention.identifier
                self._instance(key, mention.params, kind, place.child)
            for index, each in enumerate(mention.instances):
                merged = {**mention.params, **each.params}
                inner = place.child("instances").at(index)
                outside = mention.params.keys() - each.params.keys()
                at = functools.partial(_of_either, inner, place, outside)
                self._instance((mention.method, each.identifier), merged, kind, at)

    def end(self) -> None:
        """Report what is started and never ends: it reports nothing."""
        for key, place in self._starts.items():
            kind = self._methods.find(key[0])
            known = measurement.known_actions(kind)
            ends = [each for each in kind.ends if each in known]
            if ends and key not in self._ended and key[0] not in registry.ACTING:
                self._problems.odd(
                    place,
                    f"{_named(key)} is started and reports nothing",
                    f"add a later step with the action {' or '.join(ends)}",
                )

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
        key: tuple[str, str],
        raw: dict[str, Any],
        kind: type[Measurement[Any]],
        at: Placing,
    ) -> None:
        found = self._typed(kind, raw, at)
        if found is None:
            return
        typed, strange = found
        try:
            mentions = kind.inner_mentions(typed)
        except InputError as problem:
            self._failing(problem, at)
            return
        self._odd([*strange, *kind.unknown_parameters(typed, self._methods)], at)
        errors = {str(error): error for error in self._problems_of(typed, mentions)}
        for error in errors.values():
            self._failing(error, at)
        self._action(typed, (*key, typed.subject), kind, at("params.action"))

    def _typed(
        self, kind: type[Measurement[Any]], raw: dict[str, Any], at: Placing
    ) -> tuple[Params, list[str]] | None:
        """The parameters without those that cannot be read; None if one of these is needed."""
        readable = dict(raw)
        unreadable: list[str] = []
        while True:
            try:
                return params.typed(kind.params_type, readable)
            except InputError as problem:
                if any(f"`{key}`" in problem.problem for key in unreadable):
                    return None
                self._failing(problem, at)
                unreadable.append(_key(problem.path or ""))
                if readable.pop(unreadable[-1], None) is None:
                    return None

    def _problems_of(
        self, typed: Params, mentions: list[tuple[str, dict[str, Any]]]
    ) -> Iterator[InputError]:
        """Of a measurement's own parameters, and of those of the measurements it consists of."""
        yield from self._problems_with(typed)
        for method, raw in mentions:
            try:
                part, _ = params.typed(self._methods.find(method).params_type, raw)
            except InputError as problem:
                yield problem
            else:
                yield from self._problems_with(part)

    def _problems_with(self, typed: Params) -> Iterator[InputError]:
        yield from param_checks.problems(typed)
        reach = getattr(typed, "namespace_range", None)
        if isinstance(reach, NamespaceRange) and not reach.all_namespaces:
            for key, problem in namespace_ranges.beyond(
                reach.min, reach.max, reach.prefix, self._namespaces
            ):
                path = f"params.namespaceRange.{key}"
                yield InputError(problem, path=path, fix=namespace_ranges.FIX)
        for key, path in typed.files():
            if path and not self._files.is_file(path):
                yield InputError(
                    f"{path!r}: file must exist",
                    path=f"params.{key}",
                    fix="paths are relative to the folder of the top configuration",
                )

    def _failing(self, error: InputError, at: Placing) -> None:
        self._problems.failing(at(error.path or "params"), error.problem, error.fix)

    def _odd(self, warnings: list[str], at: Placing) -> None:
        for each in warnings:
            key, _, text = each.partition(": ")
            reason, _, fix = text.partition("; ")
            self._problems.odd(at(key), reason, fix or None)

    def _action(self, typed: Params, key: _Key, kind: type[Measurement[Any]], place: Place) -> None:
        action, known = typed.action, measurement.known_actions(kind)
        if known and action not in known:
            error = measurement.unknown_action(action, *known)
            self._problems.failing(place, error.problem, error.fix)
            self._starts.pop(key, None)
        elif typed.is_off:
            return
        elif action in kind.ends:
            self._ending(action, key, kind, place)
        else:
            self._started.add(key)
            if action == "start" and key[1]:
                self._starts[key] = place
                self._ended.discard(key)

    def _ending(self, action: str, key: _Key, kind: type[Measurement[Any]], place: Place) -> None:
        does = f"{action}s {key[2]!r}" if key[2] else f"{action}s"
        fix = "start it in an earlier step, with the same method and identifier"
        if kind.needs_start and key not in self._started:
            self._problems.failing(place, f"{_named(key)} {does} and was not started", fix)
        elif kind.is_restarted and key in self._ended:
            problem = f"{_named(key)} {does} again and was not started again"
            self._problems.failing(place, problem, fix)
        self._ended.add(key)


def _named(key: _Key) -> str:
    return f"{key[0]} - {key[1]}"


def _key(path: str) -> str:
    """The parameter in a path such as ``params.queries[0].name``."""
    return re.split(r"[.\[]", path.removeprefix("params."))[0]


def _of_either(inner: Place, outer: Place, outside: Set[str], path: str) -> Place:
    """The place of a parameter of an instance; those in `outside` are written for all instances."""
    return (outer if _key(path) in outside else inner).child(path)
