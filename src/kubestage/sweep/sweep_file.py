"""A sweep as a file: what is run, what is varied, and with which seeds.

::

    apiVersion: kubestage.dev/v1alpha1
    kind: Sweep
    command: run shop/ --for 30m
    vary:
      hpa/web:spec.metrics[0].resource.target.averageUtilization: 40..80/5
      nodes: [10, 20, 50]
    seeds: 1..50
"""

from __future__ import annotations

import difflib
import shlex
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
import yaml

from kubestage.errors import InputError
from kubestage.objects import yaml_documents
from kubestage.runs.choices import check_choice
from kubestage.runs.inputs import text_files
from kubestage.sweep import values as value_texts
from kubestage.sweep.design import METHODS
from kubestage.sweep.rows import Scalar  # noqa: TC001 - msgspec reads it
from kubestage.sweep.statistics import goals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.sweep.statistics.goals import Goal

API_VERSION: Final = "kubestage.dev/v1alpha1"
KIND: Final = "Sweep"
NAME: Final = "sweep.yaml"
MAX_SEEDS: Final = 1000


class SweepDefinition(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    """Everything that a sweep is, apart from where and how fast it runs."""

    api_version: Literal["kubestage.dev/v1alpha1"] = API_VERSION
    kind: Literal["Sweep"] = KIND
    command: str | list[str]
    """A command and its arguments, as they are typed after ``kubestage``."""
    vary: dict[str, Scalar | list[Scalar]] = msgspec.field(default_factory=dict)
    """The values of each parameter, as they are typed after ``=``, or as a list."""
    seeds: str | int | list[int] | None = None
    """Seeds, or how many."""
    design: str | None = None
    """``grid``, ``random`` or ``lhs``; by default a grid, unless a value is drawn."""
    samples: int | None = None
    """How many combinations are drawn."""
    sampling_seed: int = 0
    """Another one draws other combinations."""
    until: list[str] = msgspec.field(default_factory=list)
    """Goals: seeds are added until they are met."""
    max_seeds: int = MAX_SEEDS
    """After so many seeds none are added."""

    def words(self) -> list[str]:
        """The command in words."""
        if isinstance(self.command, list):
            return self.command
        try:
            return shlex.split(self.command)
        except ValueError as error:
            raise InputError(f"cannot be read: {error}", path="command") from None

    def seed_numbers(self, first: int) -> tuple[int, ...]:
        """The seeds; if only their number is known, so many from `first` on."""
        if self.seeds is None:
            return (first,)
        if isinstance(self.seeds, list):
            return tuple(self.seeds)
        text = str(self.seeds)
        if text.isdigit():
            if not int(text):
                raise InputError("there is no run without a seed", path="--seeds", fix="write 10")
            return tuple(range(first, first + int(text)))
        return value_texts.whole_numbers(text, "--seeds")

    def check(self) -> None:
        """Refuse words that are not known."""
        if self.design is not None:
            check_choice(self.design, METHODS, "design")
        self.goals()

    def goals(self) -> list[Goal]:
        """The goals; InputError if one cannot be read."""
        return [goals.parse(each) for each in self.until]

    def text(self) -> str:
        """The file."""
        plain = {
            name: value
            for name, value in msgspec.to_builtins(self).items()
            if value not in (None, {}, [])
            and (name != "samplingSeed" or value)
            and (name != "maxSeeds" or self.until)
        }
        # Not sorted: the order of parameters is that of the rows.
        return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True)


def read(path: str) -> SweepDefinition:
    """The sweep of a file; InputError with the likely field if it cannot be read."""
    text = text_files.read(path, "FILE")
    documents = [each for each in yaml_documents.values(text, path) if each is not None]
    if len(documents) != 1 or not isinstance(documents[0], dict):
        fix = f"write one document with kind: {KIND}"
        raise InputError("is no Sweep", file=path, fix=fix)
    found: dict[str, Any] = documents[0]
    if found.get("kind", KIND) != KIND:
        fix = f"name a file with kind: {KIND}, or a command: kubestage sweep run {path} ..."
        raise InputError(f"is a {found['kind']}, and no Sweep", file=path, path="kind", fix=fix)
    return convert(found, path)


def convert(found: Mapping[str, Any], path: str) -> SweepDefinition:
    """The sweep that a mapping is."""
    known = [each.encode_name for each in msgspec.structs.fields(SweepDefinition)]
    for name in found:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            fix = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
            raise InputError(f'unknown field "{name}"', file=path, path=str(name), fix=fix)
    try:
        definition = msgspec.convert(found, SweepDefinition)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at `$")
        field = place.rstrip("`").lstrip(".") or None
        raise InputError(problem.lower(), file=path, path=field) from None
    definition.check()
    return definition
