"""The bodies of responses about how far a replay agrees with its recording."""

from __future__ import annotations

from kubestage.server.kubestage_api.shapes import ResponseBody


class AgreementShare(ResponseBody, frozen=True):
    """Recorded placements that are where the stage would have put them, in one sense or another."""

    name: str
    share: str
    count: str


class ComparedFigure(ResponseBody, frozen=True):
    """A figure of the recording, and of the replay; empty where one of them has none."""

    name: str
    recorded: str
    replayed: str


class MissedPlacement(ResponseBody, frozen=True):
    """A recorded placement that ties do not explain; `predicted` is empty if no node was fit."""

    at: str
    pod: str
    recorded: str
    predicted: str
    equally_good: int
    explanation: str


class WorkloadElsewhere(ResponseBody, frozen=True):
    """A workload of which pods are on other nodes in the replay."""

    workload: str
    pods: int
    recorded: str
    replayed: str


class Replay(ResponseBody, frozen=True):
    """A replay beside its recording.

    `scope` says which placements were predicted, and `shares` where these were. `nodes` are the
    numbers of nodes over time, as pairs of seconds and a number that holds from then.
    """

    recording: str
    begin: str
    end: str
    is_what_if: bool
    actions: int
    consequences: int
    seconds: float
    same_node: str
    baseline: str
    scope: str
    shares: list[AgreementShare]
    figures: list[ComparedFigure]
    misses: list[MissedPlacement]
    elsewhere: list[WorkloadElsewhere]
    recorded_nodes: list[tuple[float, int]]
    replayed_nodes: list[tuple[float, int]]


class ClusterAgreement(ResponseBody, frozen=True):
    """The agreement of a replay; null for a cluster that is none."""

    replay: Replay | None
