"""``kubestage run`` in a sweep: Scenarios, manifests, or a living cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import msgspec

from kubestage.errors import InputError
from kubestage.results import analysis
from kubestage.results.comparison import measures
from kubestage.results.life import comparison
from kubestage.runs import run as runs
from kubestage.runs.run_options import RunOptions
from kubestage.runs.run_result import LivingResult, ManifestsResult, ScenariosResult
from kubestage.sweep.commands import units, words
from kubestage.sweep.commands.command import Draft, Measured
from kubestage.sweep.rows import MeasureInfo

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from kubestage.aliases import Json
    from kubestage.runs.load.vary import Vary

_LESS: Final = "less"


class RunCommand(msgspec.Struct, frozen=True):
    """Files that are run."""

    NAME: ClassVar[str] = "run"
    OUTPUTS: ClassVar[frozenset[str]] = frozenset(
        ("out", "explain", "trace_out", "trace_internal", "timings")
    )

    files: tuple[str, ...]
    options: RunOptions = RunOptions()

    @classmethod
    def parse(cls, rest: Sequence[str]) -> Self:
        """Read the words behind ``run``."""
        found = words.read(rest, RunOptions, {})
        if not found.arguments:
            raise InputError("nothing to run is named", fix="name files: sweep run cluster/ ...")
        return cls(tuple(found.arguments), words.made(RunOptions, found.values))

    def words(self) -> list[str]:
        """The command as it is typed."""
        return [self.NAME, *self.files, *words.of(self.options)]

    def vary(self, path: str) -> Vary | None:
        """It has no configuration of its own."""
        del path
        return None

    def check(self, draft: Draft) -> None:
        """Read and check all inputs."""
        runs.check(self.files, self._options(draft))

    def measure(self, draft: Draft) -> Measured:
        """Run it."""
        result = runs.run(self.files, self._options(draft))
        try:
            if result.failure is not None:
                return Measured({}, error=result.failure)
            if isinstance(result, LivingResult):
                assert result.record is not None
                return of_life(result.record.summary)
            if isinstance(result, ManifestsResult):
                return of_scenario(result.scenario)
            assert isinstance(result, ScenariosResult)
            if len(result.scenarios) > 1:
                names = ", ".join(str(each["metadata"]["name"]) for each in result.scenarios)
                raise InputError(f"there are several Scenarios: {names}", fix="sweep one at a time")
            return of_scenario(result.scenarios[0])
        finally:
            result.close()

    @staticmethod
    def _options(draft: Draft) -> RunOptions:
        assert isinstance(draft.options, RunOptions)
        return draft.options


def of_scenario(scenario: Json) -> Measured:
    """The figures of a Scenario that has run: those that ``compare`` shows."""
    found = measures.measures([analysis.summary(scenario)], every=True)
    return Measured(
        {each.key: each.values[0] for each in found},
        tuple(MeasureInfo(each.key, each.better, units.of(each)) for each in found),
    )


def of_life(summary: Json) -> Measured:
    """The figures of a living run: those that ``compare`` shows, and pods without a node."""
    found = comparison.measures([summary], every=True)
    values: dict[str, float | int | None] = {each.key: each.values[0] for each in found}
    currency = summary.get("currency")
    infos = [MeasureInfo(each.key, each.better, units.of(each, currency)) for each in found]
    values["pending"] = summary["pending"]["pods"]
    return Measured(values, (*infos, MeasureInfo("pending", _LESS)))
