"""The vision's rule for phases: objects change in number or in template, never both at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.clusterloader.config import Phase
    from kubestage.clusterloader.reading.problems import Place, Problems

_MOST_NAMESPACES: Final = 20_000
_Key = tuple[str, str, str, str]


class PhaseChanges:
    """Follows the sets of replicated objects through the phases of a configuration.

    A set is known by its namespace, base name and kind. Objects of a set that the load does not
    create are not known before it runs, and are not checked.
    """

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._sets: dict[_Key, tuple[int, str]] = {}

    def phase(self, phase: Phase, kinds: Sequence[tuple[str, str] | None], place: Place) -> None:
        """Take a phase into account, after those that came before."""
        for index, (spec, kind) in enumerate(zip(phase.objects, kinds, strict=True)):
            if kind is None:
                continue
            is_reported = False
            for namespace in _namespaces(phase):
                key = (namespace, spec.basename, *kind)
                before = self._sets.get(key, (0, ""))
                after = phase.replicas_per_namespace, spec.template_path
                if _changes_both(before, after) and not is_reported:
                    self._report(before, after, place.child("objectBundle").at(index))
                    is_reported = True
                self._sets[key] = after

    def _report(self, before: tuple[int, str], after: tuple[int, str], place: Place) -> None:
        self._problems.error(
            place.child("objectTemplatePath"),
            f"the template changes from {before[1]!r} to {after[1]!r} while the replicas change "
            f"from {before[0]} to {after[0]}",
            "change one in one phase and the other in the next",
        )


def _changes_both(before: tuple[int, str], after: tuple[int, str]) -> bool:
    return before[0] > 0 and before[0] != after[0] and before[1] != after[1]


def _namespaces(phase: Phase) -> Iterable[str]:
    if phase.namespace_list is not None:
        return phase.namespace_list
    space = phase.namespace_range
    if space is None:
        return ("",)
    basename = "" if space.basename is None else space.basename
    last = min(space.max, space.min + _MOST_NAMESPACES)
    return (f"{basename}-{number}" for number in range(space.min, last + 1))
