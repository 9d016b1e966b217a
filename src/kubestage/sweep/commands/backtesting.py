"""``kubestage backtest`` in a sweep: what autoscalers would have decided about recorded usage."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import msgspec

from kubestage.errors import InputError
from kubestage.runs import backtest as backtests
from kubestage.runs import backtest_inputs
from kubestage.runs.backtest import BacktestOptions
from kubestage.runs.observer import SILENT
from kubestage.sweep.commands import units, words
from kubestage.sweep.commands.command import Draft, Measured
from kubestage.sweep.rows import MeasureInfo

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from kubestage.runs.backtest import BacktestResult
    from kubestage.runs.load.vary import Vary
    from kubestage.sweep.rows import Number

# Of what an autoscaler did neither more nor less is better in itself.
_LESS: Final = ("flaps", "replicaHours", "secondsAboveTarget", "secondsAtMaximum", "updates")
_LESS_ENDINGS: Final = ("SecondsAboveRequest", "WithoutMetrics")


class BacktestCommand(msgspec.Struct, frozen=True):
    """The CSV and the manifests of a backtest."""

    NAME: ClassVar[str] = "backtest"
    OUTPUTS: ClassVar[frozenset[str]] = frozenset()

    metrics: str
    manifests: tuple[str, ...]
    options: BacktestOptions = BacktestOptions()

    @classmethod
    def parse(cls, rest: Sequence[str]) -> Self:
        """Read the words behind ``backtest``."""
        found = words.read(rest, BacktestOptions, {})
        if len(found.arguments) < 2:
            fix = "name the CSV first, and then the manifests"
            raise InputError("a backtest needs metrics and manifests", fix=fix)
        metrics, *manifests = found.arguments
        return cls(metrics, tuple(manifests), words.made(BacktestOptions, found.values))

    def words(self) -> list[str]:
        """The command as it is typed."""
        return [self.NAME, self.metrics, *self.manifests, *words.of(self.options)]

    def vary(self, path: str) -> Vary | None:
        """It has no configuration of its own."""
        del path
        return None

    def check(self, draft: Draft) -> None:
        """Read and check all inputs."""
        options = self._options(draft)
        backtests.settings_of(options)
        backtest_inputs.read(self.metrics, self.manifests, options, SILENT)

    def measure(self, draft: Draft) -> Measured:
        """Run it."""
        return _measured(backtests.backtest(self.metrics, self.manifests, self._options(draft)))

    @staticmethod
    def _options(draft: Draft) -> BacktestOptions:
        assert isinstance(draft.options, BacktestOptions)
        return draft.options


def _measured(result: BacktestResult) -> Measured:
    """The numbers of each autoscaler; of several, with its name."""
    values: dict[str, Number | None] = {}
    infos: list[MeasureInfo] = []
    for outcome in result.outcomes:
        suffix = f".{outcome.name}" if len(result.outcomes) > 1 else ""
        for name, value in outcome.summary.items():
            if isinstance(value, int | float):
                values[f"{name}{suffix}"] = value
                better = "less" if name in _LESS or name.endswith(_LESS_ENDINGS) else None
                infos.append(MeasureInfo(f"{name}{suffix}", better, _unit(name)))
    return Measured(values, tuple(infos))


def _unit(name: str) -> str | None:
    return "s" if name.startswith("seconds") else units.of_name(name)
