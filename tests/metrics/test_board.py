"""What the metrics APIs answer."""

from __future__ import annotations

from kubestage.metrics.board import Board
from kubestage.metrics.samples import ExternalSample, ValueSample
from kubestage.objects import labels


def value(name: str, milli: int, metric: str = "rps") -> ValueSample:
    return ValueSample(name, metric, 0, 0, milli)


def test_values_go_by_namespace_kind_and_metric_and_the_latest_stands() -> None:
    board = Board()
    board.post_values("shop", "pods", [value("web-1", 1), value("web-2", 2)])
    board.post_values("shop", "pods", [value("web-1", 3)])
    found = board.values("shop", "pods", "rps")
    assert {name: each.value_milli for name, each in found.items()} == {"web-1": 3, "web-2": 2}
    assert board.values("shop", "services", "rps") == {}
    assert board.values("other", "pods", "rps") == {}
    assert board.values("shop", "pods", "latency") == {}


def test_a_value_that_is_withdrawn_is_not_known_any_more_and_others_are() -> None:
    board = Board()
    board.post_values("shop", "pods", [value("web-1", 1), value("web-1", 1, "latency")])
    board.post_values("shop", "services", [value("web-1", 1)])
    board.withdraw_value("shop", "pods", "rps", "web-1")
    board.withdraw_value("shop", "pods", "never-heard-of", "web-1")
    assert board.values("shop", "pods", "rps") == {}
    assert "web-1" in board.values("shop", "pods", "latency")
    assert "web-1" in board.values("shop", "services", "rps")


def test_external_metrics_are_found_by_their_labels() -> None:
    board = Board()
    for queue, milli in (("a", 1), ("b", 2), ("a", 3)):
        board.post_external("shop", [ExternalSample("depth", {"queue": queue}, 0, 0, milli)])
    found = [each.value_milli for each in board.external("shop", "depth", labels.EVERYTHING)]
    assert sorted(found) == [2, 3]
    only_a = labels.parse("queue=a")
    assert [each.value_milli for each in board.external("shop", "depth", only_a)] == [3]
    board.withdraw_external("shop", "depth", {"queue": "a"})
    board.withdraw_external("shop", "never-heard-of", {"queue": "a"})
    assert list(board.external("shop", "depth", only_a)) == []
    assert len(list(board.external("shop", "depth", labels.EVERYTHING))) == 1
