"""Everything that is wrong with a configuration, found before anything is refused."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.clusterloader.reading import spelling
from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable


class Place(msgspec.Struct, frozen=True):
    """A file, and a path in what it rendered to."""

    file: str
    path: str = ""

    def child(self, name: str) -> Place:
        """A field of what is here."""
        return Place(self.file, f"{self.path}.{name}" if self.path else name)

    def at(self, index: int) -> Place:
        """An element of the list that is here."""
        return Place(self.file, f"{self.path}[{index}]")


class InvalidConfig(InputError):
    """A configuration with problems: all of them."""

    def __init__(self, problems: tuple[InputError, ...]) -> None:
        first = problems[0]
        super().__init__(
            first.problem, file=first.file, line=first.line, path=first.path, fix=first.fix
        )
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


class Problems:
    """Collects what is wrong, and what is only odd; oddities are wrong too where it is strict."""

    def __init__(self, is_strict: bool = False) -> None:
        self._is_strict = is_strict
        self._errors: list[InputError] = []
        self._oddities: list[InputError] = []
        self._seen: set[str] = set()
        self._values: dict[str, Any] = {}
        self.warnings: list[str] = []
        self.failures: list[str] = []

    def reading(self, file: str, value: Any) -> None:
        """What a file has, rendered: problems name their places with its keys."""
        self._values[file] = value

    def error(self, place: Place, problem: str, fix: str | None = None) -> None:
        """Something that makes the configuration unusable."""
        self.add(self._placed(place, problem, fix))

    def add(self, error: InputError) -> None:
        """An error that was found elsewhere."""
        self._errors.append(error)

    @property
    def has_errors(self) -> bool:
        """Whether something was found that makes the configuration unusable."""
        return bool(self._errors)

    def odd(self, place: Place, problem: str, fix: str | None = None) -> None:
        """Something that ClusterLoader2 lets pass."""
        self._soft(self._placed(place, problem, fix))

    def failing(self, place: Place, problem: str, fix: str | None = None) -> None:
        """Something that ClusterLoader2 lets pass until the step fails; a warning, too."""
        error = self._placed(place, problem, fix)
        if str(error) not in self._seen:
            self.failures.append(str(error))
            self._soft(error)

    def _soft(self, error: InputError) -> None:
        if str(error) in self._seen:
            return
        self._seen.add(str(error))
        if self._is_strict:
            self._errors.append(error)
        else:
            self._oddities.append(error)
            self.warnings.append(str(error))

    def _placed(self, place: Place, problem: str, fix: str | None) -> InputError:
        path = spelling.as_written(place.path, self._values.get(place.file))
        return InputError(problem, file=place.file, path=path or None, fix=fix)

    def unknown_key(self, place: Place, key: str, known: Iterable[str]) -> None:
        """A key that no field has."""
        close = difflib.get_close_matches(key, list(known), 1)
        fix = f"did you mean {close[0]!r}?" if close else f"known keys: {', '.join(sorted(known))}"
        self.odd(place.child(key), "unknown key", fix)

    def refuse_any(self) -> None:
        """Raise what was found, if anything; a misspelt key may be why another is missing."""
        if self._errors:
            raise InvalidConfig((*self._errors, *self._oddities))
