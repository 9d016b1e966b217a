"""Copies of a stage, one for each run that changes it."""

from __future__ import annotations

import functools
import pickle
from typing import TYPE_CHECKING, Final, TypeVar

from kubestage.objects import gvk
from kubestage.runs.rehearse import forks
from kubestage.stage import few_collections
from kubestage.stage.collections import RARELY

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.stage import Stage

T = TypeVar("T")

_SMALL: Final = 200


class StageCopies:
    """Makes independent copies of a stage as it was when this was made.

    NOTE: encoding a stage takes longer than decoding it, and is done once.
    """

    def __init__(self, stage: Stage) -> None:
        with few_collections(RARELY):
            self._encoded = pickle.dumps(stage, pickle.HIGHEST_PROTOCOL)

    def __len__(self) -> int:
        return len(self._encoded)

    def one_more(self) -> Stage:
        """A copy that goes on as the stage would have."""
        with few_collections(RARELY):
            copy: Stage = pickle.loads(self._encoded)
        return copy


class Trials:
    """Tries things out on copies of a stage, which must not change meanwhile.

    NOTE: a fork of the process takes milliseconds where a copy of 1,000 nodes and 20,000 pods takes
    two seconds to encode and one to decode (benchmarks/rehearse.py).
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._copies: StageCopies | None = None

    def run(self, work: Callable[[Stage], T]) -> T:
        """What some work on a copy returns."""
        if not is_small(self._stage) and forks.is_possible():
            found = forks.results([functools.partial(work, self._stage)], 1, lambda *_: None)
            if found:
                return found[0]
        self._copies = self._copies or StageCopies(self._stage)
        return work(self._copies.one_more())


def is_small(stage: Stage) -> bool:
    """Whether a stage is copied before a fork pays."""
    return len(stage.store.read(gvk.NODE)) + len(stage.store.read(gvk.POD)) < _SMALL


def forget_history(stage: Stage) -> None:
    """Forget past changes: no rehearsal reads them, and a copy without them takes less time."""
    for collection in stage.store.collections():
        collection.log.forget(stage.store.revision)
