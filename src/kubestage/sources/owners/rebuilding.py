"""What was rebuilt, and the notes about it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from kubestage.objects import defaulting
from kubestage.wording import plural

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.owners.known import Known

_NAMED: Final = 3


class Rebuilt:
    """Objects that were missing; notes name the first few of those of which the same is true."""

    def __init__(self) -> None:
        self.objects: list[Json] = []
        self._noted: dict[str, dict[str, int]] = defaultdict(dict)

    def add(self, known: Known, obj: Json) -> None:
        """Take in an object that was rebuilt, with defaults, as the API would have stored it."""
        stored = defaulting.stored(obj)
        self.objects.append(stored)
        known.add(stored)

    def note(self, problem: str, name: str, pods: int) -> None:
        """Report a problem of an object that pods depend on."""
        self._noted[problem][name] = pods

    def notes(self) -> list[str]:
        """A line for each problem, with names and counts."""
        return [_line(problem, names) for problem, names in self._noted.items()]


def _line(problem: str, names: dict[str, int]) -> str:
    first = ", ".join(list(names)[:_NAMED])
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    pods = plural(sum(names.values()), "pod")
    return f"{problem}: {first}{more} ({pods})"
