"""``kubestage rehearse`` in a sweep: a drain, an upgrade, an outage, growth, a fit, or all."""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

import msgspec

from kubestage.errors import InputError
from kubestage.runs import rehearse
from kubestage.runs.flags import Options  # noqa: TC001 - msgspec reads it
from kubestage.runs.inputs import stage_inputs
from kubestage.runs.rehearse import cluster, conditions
from kubestage.runs.rehearse.options import (
    ClusterOptions,
    DrainOptions,
    FitOptions,
    GrowOptions,
    OutageOptions,
    SurveyOptions,
    UpgradeOptions,
)
from kubestage.sweep.commands import units, words
from kubestage.sweep.commands.command import Draft, Measured
from kubestage.sweep.rows import MeasureInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from kubestage.runs.load.vary import Vary
    from kubestage.runs.rehearse.result import Rehearsed
    from kubestage.runs.rehearse.surveying import SurveyResult
    from kubestage.sweep.rows import Number


class _Rehearsal(NamedTuple):
    options: type[ClusterOptions]
    function: Callable[..., Any]
    takes_words: bool = True


_REHEARSALS: Final = {
    "drain": _Rehearsal(DrainOptions, rehearse.drain),
    "upgrade": _Rehearsal(UpgradeOptions, rehearse.upgrade),
    "outage": _Rehearsal(OutageOptions, rehearse.outage),
    "grow": _Rehearsal(GrowOptions, rehearse.grow),
    "fit": _Rehearsal(FitOptions, rehearse.fit),
    "all": _Rehearsal(SurveyOptions, rehearse.survey, takes_words=False),
}
_FILES: Final[dict[str, tuple[tuple[str, ...], Any]]] = {
    "files": (("-f", "--filename"), tuple[str, ...])
}
# Of a workload more ready replicas are better, and of all else less is.
_MORE: Final = frozenset({"ready", "readyAtEnd"})


class RehearseCommand(msgspec.Struct, frozen=True):
    """A rehearsal, what it is about, and the files of the cluster."""

    NAME: ClassVar[str] = "rehearse"
    OUTPUTS: ClassVar[frozenset[str]] = frozenset(("out", "fail_if"))

    rehearsal: str
    about: tuple[str, ...]
    files: tuple[str, ...]
    options: Options

    @classmethod
    def parse(cls, rest: Sequence[str]) -> Self:
        """Read the words behind ``rehearse``."""
        name = rest[0] if rest else ""
        if name not in _REHEARSALS:
            near = difflib.get_close_matches(name, _REHEARSALS, n=1)
            known = f"use one of {', '.join(_REHEARSALS)}"
            fix = f"did you mean {near[0]}?" if near else known
            raise InputError(f'there is no rehearsal "{name}"', fix=fix)
        rehearsal = _REHEARSALS[name]
        found = words.read(rest[1:], rehearsal.options, _FILES)
        options = words.made(rehearsal.options, found.values)
        if found.arguments and not rehearsal.takes_words:
            raise InputError(f"{found.arguments[0]}: `rehearse {name}` takes no words")
        files = tuple(found.values.get("files", ()))
        return cls(name, tuple(found.arguments), files, options)

    def words(self) -> list[str]:
        """The command as it is typed."""
        files = [word for file in self.files for word in ("-f", file)]
        return [self.NAME, self.rehearsal, *self.about, *files, *words.of(self.options)]

    def vary(self, path: str) -> Vary | None:
        """It has no configuration of its own."""
        del path
        return None

    def check(self, draft: Draft) -> None:
        """Read and check the cluster, and what is added to it."""
        options = draft.options
        assert isinstance(options, ClusterOptions)
        cluster.check(self.files or None, options)
        added = self.about if self.rehearsal == "fit" else getattr(options, "add", ())
        if added:
            stage_inputs.load(list(added), options.config)

    def measure(self, draft: Draft) -> Measured:
        """Rehearse it."""
        rehearsal = _REHEARSALS[self.rehearsal]
        files = self.files or None
        if isinstance(draft.options, SurveyOptions):
            # The processes of a sweep are busy with other runs.
            alone = msgspec.structs.replace(draft.options, jobs=1)
            return _of_survey(rehearsal.function(files, alone))
        return _of_rehearsal(rehearsal.function(files, list(self.about), draft.options))


def _of_rehearsal(result: Rehearsed) -> Measured:
    """What ``--fail-if`` can compare: of the whole, and of each workload."""
    currency = (result.life.summary or {}).get("currency")
    has_cost = bool(result.life.summary.get("costs"))
    names = [each for each in conditions.OF_ALL if has_cost or each != "costPerHour"]
    values: dict[str, Number | None] = {
        name: _finite(conditions.value_of(result, name)) for name in (*names, *result.VALUES)
    }
    infos = [MeasureInfo(name, "less", _unit(name, currency)) for name in values]
    for effect in result.effects.workloads:
        for name, read in conditions.OF_WORKLOADS.items():
            key = f"{effect.name}.{name}"
            if key not in values:
                values[key] = read(effect)
                infos.append(MeasureInfo(key, "more" if name in _MORE else "less", _unit(name)))
    return Measured(values, tuple(infos))


def _of_survey(result: SurveyResult) -> Measured:
    severities = [each.severity for each in result.findings]
    values: dict[str, Number | None] = {
        "critical": severities.count("critical"),
        "warnings": severities.count("warning"),
        "findings": len(severities),
    }
    return Measured(values, tuple(MeasureInfo(name, "less") for name in values))


def _finite(value: float) -> float | None:
    """None for what never happened, such as a recovery."""
    return value if math.isfinite(value) else None


def _unit(name: str, currency: str | None = None) -> str | None:
    if name in ("recovery", "seconds", "belowDesired"):
        return "s"
    return units.of_name(name, currency)
