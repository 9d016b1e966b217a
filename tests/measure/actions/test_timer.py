"""Timer tells how long its labels took."""

from __future__ import annotations

import pytest

from kubestage.errors import InputError
from kubestage.measure.actions.timer import Timer
from tests.measure.fake_cluster import UNIX_NS, FakeCluster
from tests.measure.making import Asked, make


def test_labels_are_told_in_seconds_and_in_order() -> None:
    cluster = FakeCluster()
    measurement = make(Timer, cluster)
    Asked(measurement, action="start", label="b")
    cluster.moments.run(1.5)
    Asked(measurement, action="start", label="a")
    cluster.moments.run(2)
    for label in "ba":
        Asked(measurement, action="stop", label=label)
    Asked(measurement, action="start", label="never stopped")
    (summary,) = Asked(measurement, action="gather").outcome.summaries
    assert (summary.name, summary.ext) == ("Timer", "json")
    assert summary.unix_ns == UNIX_NS + 3_500_000_000
    assert summary.content == (
        '{\n  "version": "v1",\n  "dataItems": [\n    {\n      "data": {\n        "a": 2,\n'
        '        "b": 3.5\n      },\n      "unit": "s",\n      "labels": {\n'
        '        "test": "phases"\n      }\n    }\n  ]\n}\n'
    )


def test_a_label_that_was_not_started_is_an_error() -> None:
    measurement = make(Timer, FakeCluster())
    Asked(measurement, action="start", label="a")
    assert Asked(measurement, action="stop", label="a").outcome.errors == ()
    said = Asked(measurement, action="stop", label="a").outcome.errors
    assert said == ("uninitialized timer a",)


def test_what_is_not_said_is_an_error() -> None:
    measurement = make(Timer, FakeCluster())
    with pytest.raises(InputError, match="label is missing"):
        Asked(measurement, action="start")
    with pytest.raises(InputError, match="use start, stop or gather"):
        Asked(measurement, action="halt")
