"""SLOMeasurement passes its parameters on, with overrides for parts by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.measure.facilities import Facilities
from kubestage.measure.measurement import Measurement
from kubestage.measure.measurements import Measurements
from kubestage.measure.params import FreeParams
from kubestage.measure.registry import Registry
from kubestage.measure.results import NOTHING, MeasurementResult
from kubestage.sim.streams import Streams
from tests.measure.fake_cluster import FakeCluster

if TYPE_CHECKING:
    from kubestage.measure.results import Result


class Throughput(Measurement[FreeParams]):
    """Writes down what it is asked."""

    params_type = FreeParams
    values: dict[str, Any]

    def perform(self, params: FreeParams) -> Result:
        """Take note."""
        type(self).values = params.values
        return NOTHING


def performed(**params: Any) -> MeasurementResult:
    registry = Registry({"SchedulingThroughputPrometheus": Throughput})
    measurements = Measurements(registry, FakeCluster(), Streams(1), Facilities())
    told: list[MeasurementResult] = []
    measurements.perform("SLOMeasurement", "id", {"action": "start", **params}).then(told.append)
    return told[0]


def test_a_part_has_the_parameters_of_the_bundle_and_its_own() -> None:
    overrides = {"SchedulingThroughputPrometheus": {"threshold": 9}}
    outcome = performed(replicasPerProbe=2, threshold=1, overrides=overrides)
    assert Throughput.values == {"action": "start", "replicasPerProbe": 2, "threshold": 9}
    assert not outcome.skipped
    (warning,) = outcome.warnings
    assert "DnsLookupLatency" in warning


@pytest.mark.parametrize("overrides", [["a"], {"DnsLookupLatency": 3}])
def test_overrides_are_maps(overrides: Any) -> None:
    (error,) = performed(overrides=overrides).errors
    assert "params.overrides" in error
