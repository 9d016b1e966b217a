"""Why a configuration cannot be used."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PLACE: Final = re.compile(r"\bprofiles\[(\d+)\]")

Stage = Literal["decode", "validate", "instantiate"]


class ConfigError(InputError):
    """A refused configuration: at which stage, in kube-scheduler's words, and each single error.

    ``decode`` is about the text, ``validate`` about values, ``instantiate`` about the profiles
    that they would make. `profiles` are the names of the profiles, as far as they are known;
    `profile` is the one that could not be made.
    """

    def __init__(
        self,
        stage: Stage,
        problem: str,
        *,
        errors: Iterable[str] = (),
        file: str | None = None,
        line: int | None = None,
        fix: str | None = None,
        profiles: Sequence[str] = (),
        profile: str | None = None,
    ) -> None:
        super().__init__(problem, file=file, line=line, fix=fix)
        self.stage: Stage = stage
        self.errors = tuple(errors) or (problem,)
        self.profiles = tuple(profiles)
        self.profile = profile

    @property
    def named_errors(self) -> tuple[str, ...]:
        """The single errors; those about a profile include its name."""
        return tuple(f"{each}{about(each, self.profiles)}" for each in self.errors)

    def in_file(self, file: str | None) -> ConfigError:
        """The same error, with the file it comes from."""
        return ConfigError(
            self.stage,
            self.problem,
            errors=self.errors,
            file=self.file or file,
            line=self.line,
            fix=self.fix,
            profiles=self.profiles,
            profile=self.profile,
        )


def about(error: str, profiles: Sequence[str], more: str = "") -> str:
    """The name of the profile that an error is about, in brackets; upstream only gives its index.

    >>> about("profiles[1].schedulerName: Duplicate value: {}", ["a", "a"])
    ' (profile "a", as profiles[0])'
    """
    found = _PLACE.search(error)
    if found is None or int(found[1]) >= len(profiles) or not profiles[int(found[1])]:
        return ""
    name = profiles[int(found[1])]
    if "schedulerName: Duplicate value" in error:
        more = more or f", as profiles[{profiles.index(name)}]"
    return f' (profile "{name}"{more})'


def aggregate(errors: Iterable[str]) -> str:
    """Several errors as one text; one that repeats is listed once."""
    distinct = list(dict.fromkeys(errors))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"
