"""``kubestage replay`` in a sweep: a recording under other settings, and how far both agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from kubestage.errors import InputError
from kubestage.runs.replay_options import ReplayOptions
from kubestage.runs.replaying import running as replays
from kubestage.sweep.commands import words
from kubestage.sweep.commands.command import Draft, Measured
from kubestage.sweep.commands.running import of_life
from kubestage.sweep.rows import MeasureInfo

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from kubestage.results.agreement import Agreement
    from kubestage.runs.load.vary import Vary
    from kubestage.sweep.rows import Number


class ReplayCommand(msgspec.Struct, frozen=True):
    """Sources with time."""

    NAME: ClassVar[str] = "replay"
    OUTPUTS: ClassVar[frozenset[str]] = frozenset(("out",))

    sources: tuple[str, ...]
    options: ReplayOptions = ReplayOptions()

    @classmethod
    def parse(cls, rest: Sequence[str]) -> Self:
        """Read the words behind ``replay``."""
        found = words.read(rest, ReplayOptions, {})
        if not found.arguments:
            fix = "name an import or another source with time: sweep replay cluster/ ..."
            raise InputError("no recording is named", fix=fix)
        return cls(tuple(found.arguments), words.made(ReplayOptions, found.values))

    def words(self) -> list[str]:
        """The command as it is typed."""
        return [self.NAME, *self.sources, *words.of(self.options)]

    def vary(self, path: str) -> Vary | None:
        """It has no configuration of its own."""
        del path
        return None

    def check(self, draft: Draft) -> None:
        """Read and check all inputs."""
        replays.check(self.sources, self._options(draft))

    def measure(self, draft: Draft) -> Measured:
        """Replay it."""
        result = replays.replay_once(self.sources, self._options(draft))
        try:
            assert result.run.record is not None
            life = of_life(result.run.record.summary)
            agreement = of_agreement(result.agreement)
        finally:
            result.run.close()
        return Measured({**life.values, **agreement.values}, (*life.infos, *agreement.infos))

    @staticmethod
    def _options(draft: Draft) -> ReplayOptions:
        assert isinstance(draft.options, ReplayOptions)
        return draft.options


def of_agreement(found: Agreement) -> Measured:
    """How far the replay agrees with the recording; those about HPAs if there are any."""
    values: dict[str, Number | None] = {
        "sameNodeShare": found.same_node_share,
        "placements": found.replayed_placements,
        "meanPendingSeconds": found.pending_seconds[1],
        "largestNodeDifference": found.largest_node_difference,
    }
    infos = [
        # A what-if is not to agree: neither more nor less of it is better.
        MeasureInfo("sameNodeShare", None, "share"),
        MeasureInfo("placements", None),
        MeasureInfo("meanPendingSeconds", "less", "s"),
        MeasureInfo("largestNodeDifference", None),
    ]
    if any(found.autoscaler_steps):
        values["autoscalerSteps"] = found.autoscaler_steps[1]
        values["sameAutoscalerSteps"] = found.same_autoscaler_steps
        infos += [MeasureInfo("autoscalerSteps", None), MeasureInfo("sameAutoscalerSteps", None)]
    return Measured(values, tuple(infos))
