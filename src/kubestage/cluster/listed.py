"""How much a list has to read and to send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json

_SAMPLE: Final = 8
_TYPICAL: Final = 2_000
_SEAT: Final = 100_000
# An answer from the cache is sent as it is encoded, so that no more of it is in memory.
_MOST_IN_MEMORY: Final = 1_000_000
_MEGABYTE: Final = 1e6


class Listed(NamedTuple):
    """The objects of an answer, how many there are of the kind, and their mean size in bytes."""

    objects: int = 0
    stored: int = 0
    size: int = _TYPICAL

    @property
    def megabytes(self) -> float:
        """The size of the answer."""
        return self.objects * self.size / _MEGABYTE

    @property
    def seats(self) -> int:
        """How many seats kube-apiserver estimates: by all objects of the kind."""
        stored = max(self.stored, self.objects)
        return max(-(-min(stored * self.size, _MOST_IN_MEMORY) // _SEAT), 1)


NOTHING: Final = Listed()
"""A call that lists nothing."""


def of(objects: Sequence[Json], stored: int) -> Listed:
    """The list of these objects; their size is that of some of them."""
    if not objects:
        return Listed(0, stored)
    sample = objects[:: max(len(objects) // _SAMPLE, 1)][:_SAMPLE]
    size = sum(len(msgspec.json.encode(each)) for each in sample) // len(sample)
    return Listed(len(objects), stored, max(size, _TYPICAL))
