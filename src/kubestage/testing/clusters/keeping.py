"""Keeping the cluster of a test that failed, so that it can be opened and explained afterwards."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

import kubestage
from kubestage.results import run_directory
from kubestage.results.history import history_directory, history_recorder
from kubestage.results.kept_test import KeptTest

if TYPE_CHECKING:
    import pathlib

    from kubestage.results.history.history_file import HistoryBytes
    from kubestage.results.history.history_recorder import HistoryRecorder
    from kubestage.stage import Stage
    from kubestage.testing.clusters.cluster import Cluster

_UNFIT: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST: Final = 80
_HASH: Final = 6


class ClusterRecording:
    """Records all that happens to a cluster since it was handed to its test."""

    def __init__(self) -> None:
        self._recorder: HistoryRecorder | None = None
        self._history: HistoryBytes | None = None

    def start(self, stage: Stage) -> None:
        """Record from now on."""
        start_state = history_recorder.beginning(
            stage.store, stage.clock, stage.scheduler, stage.seed
        )
        self._recorder = history_recorder.HistoryRecorder(
            stage.store, stage.clock, stage.scheduler, start_state
        )
        self._recorder.start()

    def end(self) -> HistoryBytes:
        """All that was recorded; nothing is from now on."""
        if self._recorder is not None:
            self._history = self._recorder.end()
            self._recorder = None
        assert self._history is not None, "it was started"
        return self._history


def place_of(folder: pathlib.Path, test: str, cluster: str) -> pathlib.Path:
    """The directory for a cluster of a test: readable, and of no other test."""
    file, _, rest = test.partition("::")
    name = _UNFIT.sub("-", f"{file.rpartition('/')[2]}-{rest}").strip("-.")
    if cluster != "cluster":
        name = f"{name}-{cluster}"
    digest = hashlib.sha256(f"{test}\n{cluster}".encode()).hexdigest()[:_HASH]
    return folder / f"{name[:_LONGEST]}-{digest}"


def keep_cluster(place: pathlib.Path, test: str, name: str, failure: str, cluster: Cluster) -> None:
    """Write what was recorded of a cluster; that of an earlier run of the test is replaced."""
    recording = cluster.recording
    assert recording is not None, "clusters are recorded if they may be kept"
    scheduler = cluster.stage.scheduler
    kept = KeptTest(
        test=test,
        cluster=name,
        failure=failure,
        version=kubestage.__version__,
        seed=cluster.stage.seed,
        plugins=[] if scheduler is None else sorted(scheduler.user_plugins),
    )
    history = cluster.do(recording.end)
    with run_directory.RunDirectory(place) as directory:
        directory.write_test(kept, history_directory.files(history))
