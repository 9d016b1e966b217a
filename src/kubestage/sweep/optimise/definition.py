"""A search as a file: everything that its result depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
import yaml

from kubestage.errors import InputError
from kubestage.objects import yaml_documents
from kubestage.runs.inputs import text_files
from kubestage.sweep.rows import Scalar  # noqa: TC001 - msgspec reads it
from kubestage.sweep.sweep_file import SweepDefinition

if TYPE_CHECKING:
    from kubestage.sweep.optimise.options import OptimiseOptions

NAME: Final = "optimise.yaml"


class OptimiseDefinition(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    """What is searched, for what, and with how many runs."""

    api_version: Literal["kubestage.dev/v1alpha1"] = "kubestage.dev/v1alpha1"
    kind: Literal["Optimisation"] = "Optimisation"
    command: list[str]
    vary: dict[str, Scalar | list[Scalar]]
    minimise: list[str] = []
    maximise: list[str] = []
    subject_to: list[str] = []
    trials: int = 50
    seeds: str | int | list[int] = 6
    sampler: Literal["tpe", "nsga2", "cmaes", "random", "grid"] = "tpe"
    sampler_seed: int = 0
    batch: int = 8
    pruning: bool = True
    finalists: int = 5
    final_seeds: int = 20
    baseline: bool = True
    level: float = 95.0
    margin: str = "1%"

    def seed_numbers(self, first: int) -> tuple[int, ...]:
        """The seeds of the search."""
        return SweepDefinition(command=self.command, seeds=self.seeds).seed_numbers(first)

    def text(self) -> str:
        """The file."""
        return yaml.safe_dump(msgspec.to_builtins(self), sort_keys=False, allow_unicode=True)


def of_options(
    command: list[str], vary: dict[str, Scalar | list[Scalar]], options: OptimiseOptions
) -> OptimiseDefinition:
    """The search that options ask for."""
    return OptimiseDefinition(
        command=command,
        vary=vary,
        minimise=list(options.minimise),
        maximise=list(options.maximise),
        subject_to=list(options.subject_to),
        trials=options.trials,
        seeds=options.seeds,
        sampler=options.sampler,
        sampler_seed=options.sampler_seed,
        batch=options.batch,
        pruning=not options.no_pruning,
        finalists=options.finalists,
        final_seeds=options.final_seeds,
        baseline=not options.no_baseline,
        level=options.level,
        margin=options.margin,
    )


def read(path: str) -> OptimiseDefinition:
    """The search of a file; InputError if it is none."""
    text = text_files.read(path, "FILE")
    documents: list[Any] = [each for each in yaml_documents.values(text, path) if each is not None]
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise InputError("is no Optimisation", file=path)
    try:
        return msgspec.convert(documents[0], OptimiseDefinition)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at `$")
        field = place.rstrip("`").lstrip(".") or None
        raise InputError(problem.lower(), file=path, path=field) from None
