"""A Scenario begins on a new cluster, whatever this one was before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scenario import recorded_times, resource, scenario_counts
from kubestage.scenario.resource import SCENARIO
from kubestage.scenario.scenario_counts import ScenarioCounts
from kubestage.sim.clock import EPOCH_2026_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.store.store import Store


class NewCluster:
    """Turns an emptied cluster into a new one.

    `start_over` does so, at a moment of the calendar. That moment is `origin_ns`; without one the
    calendar goes on, as on a server, and Scenarios count their own time.
    """

    def __init__(
        self, store: Store, start_over: Callable[[int], None], origin_ns: int | None
    ) -> None:
        self._store = store
        self._start_over = start_over
        self._origin_ns = origin_ns

    def begin(self, name: str) -> ScenarioCounts:
        """Reset the cluster; returns how the Scenario counts from here."""
        store, clock = self._store, self._store.clock
        scenario = store.read(SCENARIO)[name]
        origin_ns = self.origin_ns(scenario)
        continues = self._origin_ns is None
        self._start_over(scenario_counts.whole_second(clock.unix_ns) if continues else origin_ns)
        counts = ScenarioCounts(store.revision, clock.epoch_ns, origin_ns)
        if counts.is_plain:
            return counts
        # A controller that continues the Scenario after a restart has to count in the same way.
        counts = ScenarioCounts(store.revision + 1, clock.epoch_ns, origin_ns)
        metadata = scenario["metadata"]
        annotations = {
            **(metadata.get("annotations") or {}),
            scenario_counts.BEGAN: counts.annotation,
        }
        store.record_metadata(SCENARIO, name, {**metadata, "annotations": annotations})
        return counts

    def resume(self, scenario: Json) -> ScenarioCounts:
        """How a Scenario counts that another controller has started."""
        return scenario_counts.resumed(scenario, self.origin_ns(scenario))

    def origin_ns(self, scenario: Json) -> int:
        """The first moment of a Scenario by its own count: when it was recorded, if it was."""
        if self._origin_ns is not None:
            return self._origin_ns
        recorded = recorded_times.recorded(resource.normalized(scenario))
        return scenario_counts.whole_second(recorded_times.newest_ns(recorded)) or EPOCH_2026_NS
