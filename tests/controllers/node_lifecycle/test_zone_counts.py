"""Nodes counted by zone as they change, against all counted again."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from kubestage.controllers.node_lifecycle.health import NodeHealth
from kubestage.controllers.node_lifecycle.zones import ZoneCounts

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEALTHS = st.builds(
    NodeHealth,
    st.just(0),
    ready=st.sampled_from(["True", "False", "Unknown", None]),
    zone=st.sampled_from(["", "a", "b"]),
    counts=st.booleans(),
)
_ROUNDS = st.lists(st.dictionaries(st.sampled_from("nmopq"), st.none() | _HEALTHS))


def _counted(healths: Mapping[str, NodeHealth]) -> dict[str, tuple[int, int]]:
    found = collections.Counter(
        (known.zone, known.ready == "True") for known in healths.values() if known.counts
    )
    return {zone: (found[zone, True], found[zone, False]) for zone, _ in found}


@given(_ROUNDS)
def test_counts_follow_the_nodes_that_change(rounds: list[dict[str, NodeHealth | None]]) -> None:
    counts, healths = ZoneCounts(), dict[str, NodeHealth]()
    for changes in rounds:
        for name, known in changes.items():
            if known is None:
                healths.pop(name, None)
            else:
                healths[name] = known
        assert counts.update(healths, changes) == _counted(healths)
