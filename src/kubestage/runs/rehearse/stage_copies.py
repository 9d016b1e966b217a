"""Copies of a stage, one for each run that changes it."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from kubestage.stage import few_collections

if TYPE_CHECKING:
    from kubestage.stage import Stage


class StageCopies:
    """Makes independent copies of a stage as it was when this was made.

    NOTE: encoding a stage takes longer than decoding it, and is done once.
    """

    def __init__(self, stage: Stage) -> None:
        with few_collections():
            self._encoded = pickle.dumps(stage, pickle.HIGHEST_PROTOCOL)

    def __len__(self) -> int:
        return len(self._encoded)

    def one_more(self) -> Stage:
        """A copy that goes on as the stage would have."""
        with few_collections():
            copy: Stage = pickle.loads(self._encoded)
        return copy


def forget_history(stage: Stage) -> None:
    """Forget past changes, which nobody reads: copies are made a third faster without them."""
    for collection in stage.store.collections():
        collection.log.forget(stage.store.revision)
