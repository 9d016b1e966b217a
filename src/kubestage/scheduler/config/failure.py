"""Why a configuration cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

Stage = Literal["decode", "validate", "instantiate"]


class ConfigError(InputError):
    """A refused configuration: at which stage, in kube-scheduler's words, and each single error.

    ``decode`` is about the text, ``validate`` about values, ``instantiate`` about the profiles
    that they would make.
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
    ) -> None:
        super().__init__(problem, file=file, line=line, fix=fix)
        self.stage: Stage = stage
        self.errors = tuple(errors) or (problem,)

    def in_file(self, file: str | None) -> ConfigError:
        """The same error, told where it comes from."""
        return ConfigError(
            self.stage,
            self.problem,
            errors=self.errors,
            file=self.file or file,
            line=self.line,
            fix=self.fix,
        )


def aggregate(errors: Iterable[str]) -> str:
    """Several errors as one text; one that repeats is said once."""
    distinct = list(dict.fromkeys(errors))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"
