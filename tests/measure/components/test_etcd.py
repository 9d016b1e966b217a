"""EtcdMetrics keeps the largest size of the database and the histograms of the end."""

from __future__ import annotations

from kubestage.cluster.access import Page
from tests.measure.components.measured import Measured, document, node

STAGE = "/api/v1/namespaces/kube-system/pods/etcd-server-master:2382/proxy/metrics"
FSYNC = """# TYPE etcd_disk_wal_fsync_duration_seconds histogram
etcd_disk_wal_fsync_duration_seconds_bucket{le="0.001"} 3
etcd_disk_wal_fsync_duration_seconds_bucket{le="+Inf"} 4
"""


def text(size: int) -> str:
    return f"etcd_mvcc_db_total_size_in_bytes {size}\n{FSYNC}"


def test_the_largest_size_and_the_last_histograms_are_told() -> None:
    measured = Measured("EtcdMetrics")
    measured.cluster.pages[STAGE] = Page(200, text(3_000_000))
    measured.perform("start")
    measured.cluster.moments.run(60)
    measured.cluster.pages[STAGE] = Page(200, text(2_000_000))
    measured.cluster.moments.run(60)
    outcome = measured.perform("gather")
    assert outcome.summaries[0].content == (
        '{\n  "backendCommitDuration": [],\n  "snapshotSaveTotalDuration": [],\n'
        '  "peerRoundTripTime": [],\n  "walFsyncDuration": [\n    {\n      "labels": {\n'
        '        "__name__": "etcd_disk_wal_fsync_duration_seconds_bucket"\n      },\n'
        '      "buckets": {\n        "+Inf": 4,\n        "0.001": 3\n      }\n    }\n  ],\n'
        '  "maxDatabaseSize": 3000000\n}\n'
    )
    (series,) = outcome.series
    assert series.values == [3_000_000.0, 2_000_000.0, 2_000_000.0]


def test_how_often_it_looks_can_be_said() -> None:
    measured = Measured("EtcdMetrics")
    measured.cluster.pages[STAGE] = Page(200, text(1))
    measured.perform("start", waitTime="10s")
    measured.cluster.moments.run(60)
    (series,) = measured.perform("gather").series
    assert len(series.values) == 7


def test_a_test_of_less_than_a_minute_has_a_size_too() -> None:
    measured = Measured("EtcdMetrics")
    measured.cluster.pages[STAGE] = Page(200, text(7))
    measured.perform("start")
    assert document(measured.perform("gather"))["maxDatabaseSize"] == 7


def test_it_is_skipped_where_etcd_cannot_be_asked() -> None:
    measured = Measured("EtcdMetrics", is_stage=False)
    measured.cluster.put(node("n1"))
    assert "control plane" in measured.perform("start").skipped
    measured.cluster.put(node("m1", role=True))
    assert "404" in measured.perform("gather").skipped


def test_it_looks_no_more_after_the_end() -> None:
    measured = Measured("EtcdMetrics")
    measured.perform("start")
    measured.measurements.dispose()
    assert measured.cluster.moments.pending == 0
