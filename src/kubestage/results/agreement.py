"""How far a replay agrees with what was recorded: the figures, as they are kept and shown."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence  # noqa: TC003 - msgspec reads it
from typing import Final

import msgspec

from kubestage.errors import InputError

FILE: Final = "agreement.json"


class Disagreement(msgspec.Struct, frozen=True):
    """Pods of one workload, by node, that are elsewhere in the replay."""

    workload: str
    recorded: dict[str, int]
    replayed: dict[str, int]
    pods: int
    """How many are on another node, or on none."""


class NodeCounts(msgspec.Struct, frozen=True):
    """The number of nodes over time: pairs of seconds since the beginning, and nodes from then."""

    recorded: Sequence[tuple[float, int]] = ()
    replayed: Sequence[tuple[float, int]] = ()


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of both, and what differs most.

    Pods of a workload are alike, and their names are drawn: so they are compared as a set. A
    placement agrees if the replay has a pod of the workload on that node, each counted once.
    """

    placements: int
    """Pods that got a node in the recording."""
    replayed_placements: int
    same_node: int
    pending_seconds: tuple[float, float]
    """The mean of both."""
    restarts: tuple[int, int]
    autoscaler_steps: tuple[int, int]
    same_autoscaler_steps: int
    largest_node_difference: int
    node_counts: NodeCounts = NodeCounts()
    disagreements: Sequence[Disagreement]

    @property
    def same_node_share(self) -> float | None:
        """Of all placements; None if none were recorded, as by sources that have intent alone."""
        if not self.placements:
            return None
        return self.same_node / max(self.placements, self.replayed_placements)


class Miss(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded placement that the scheduler would not have made."""

    at: str
    pod: str
    """``namespace/name``."""
    recorded: str
    """The node that it got."""
    predicted: str
    """The node that it would have got; empty if none."""
    equally_good: int
    """How many nodes would have been as good as that one, itself included."""
    score_difference: int | None
    """By how much the predicted node scores more; None if the recorded one is rejected."""
    explanation: str


class Decisions(msgspec.Struct, frozen=True, kw_only=True):
    """The recorded placements, each predicted on the recorded state just before it.

    What went before is as it was recorded, so that one difference does not lead to others.
    """

    placements: int
    """Pods that were seen without a node, and then with one."""
    predicted: int
    """How many of them were predicted: all, or a sample."""
    same_node: int
    """On the very node that the tie-break takes."""
    equally_good: int
    """On a node with the highest score: the real scheduler breaks ties at random."""
    possible: int
    """On a node that is best among a part of the nodes: of many, not all are evaluated."""
    feasible: int
    """On a node that passes all filters."""
    with_choice: int
    """Those for which more than one node was feasible."""
    left_out: dict[str, int] = {}
    """Placements that cannot be predicted, by reason."""
    first: Miss | None = None
    """The first placement on a node that is not possible."""
    largest: Sequence[Miss] = ()
    """The largest ones: rejected nodes first, then by the difference of scores."""

    @property
    def is_sample(self) -> bool:
        """Whether only some placements were predicted."""
        return self.predicted + sum(self.left_out.values()) < self.placements

    def share(self, count: int) -> float | None:
        """Of the placements that were predicted; None if there are none."""
        return count / self.predicted if self.predicted else None

    @property
    def misses(self) -> Sequence[Miss]:
        """The first and the largest ones, each once, in the order of time."""
        found = {(each.at, each.pod): each for each in (*filter(None, [self.first]), *self.largest)}
        return [found[key] for key in sorted(found)]


class ReplayAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a replay besides its run."""

    recording: str
    begin: str
    end: str
    actions: int
    """How much was done again."""
    consequences: int
    """How many recorded changes were left to controllers."""
    agreement: Agreement
    baseline: Agreement | None = None
    """How far a replay under the recorded settings agrees, if this one has others."""
    decisions: Decisions | None = None
    """How far the scheduler's decisions agree, under the recorded settings."""

    @property
    def is_what_if(self) -> bool:
        """Whether settings are others than the recorded ones, so that it is not to agree."""
        return self.baseline is not None


def encode(found: ReplayAgreement) -> bytes:
    """The text of the file."""
    return msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n"


def read(directory: str | pathlib.Path) -> ReplayAgreement | None:
    """The agreement of a run directory; None if it is not that of a replay."""
    path = pathlib.Path(directory) / FILE
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=ReplayAgreement)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(str(error), file=str(path), fix="replay the recording again") from None
