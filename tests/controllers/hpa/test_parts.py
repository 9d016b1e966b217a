"""Numbers of fixed width, selectors that overlap, and what the board answers."""

from __future__ import annotations

import math
import random

import pytest

from kubestage.controllers.hpa import go_numbers
from kubestage.controllers.hpa.metrics_client import BoardClient
from kubestage.controllers.hpa.selecting import PodSelectors
from kubestage.metrics.board import Board, MetricsError
from kubestage.metrics.samples import ContainerSample, PodSample, ValueSample
from kubestage.objects import labels
from kubestage.objects.kinds import KindTable
from tests.controllers.hpa.scene import running


def test_numbers_wrap_and_overflow_as_in_go() -> None:
    assert go_numbers.int32(2**31) == -(2**31)
    assert go_numbers.int64(-(2**63) - 1) == 2**63 - 1
    assert [go_numbers.quotient(*pair) for pair in ((-7, 2), (7, -2), (7, 2))] == [-3, -3, 3]
    assert math.isnan(go_numbers.ratio(0.0, 0.0))
    assert go_numbers.ratio(-1.0, 0.0) == -math.inf
    assert go_numbers.ceiling_int32(math.inf) == go_numbers.truncated_int32(3e9) == -(2**31)
    assert (go_numbers.ceiling_int32(1.2), go_numbers.truncated_int32(-1.8)) == (2, -1)
    assert go_numbers.ceiling_int64(math.nan) == -(2**63)


def test_who_means_a_pod_is_found_as_by_trying_all() -> None:
    chance = random.Random(7)
    texts = ["app=a", "app in (a,b)", "app=b,tier=x", "tier", "!tier", "tier!=x,app=c", "app=c"]
    book, plain = PodSelectors(), {}
    for number in range(30):
        key = f"n/{number:02}"
        book.enter("n", key)
        for _ in range(2):
            plain[key] = labels.parse(chance.choice(texts))
            book.sharers("n", key, plain[key], [])
    for number in range(0, 30, 4):
        book.leave("n", f"n/{number:02}")
        del plain[f"n/{number:02}"]
    for held in ({"app": "a"}, {"app": "b", "tier": "x"}, {"app": "c", "tier": "y"}, {}):
        pod = {"metadata": {"name": "p", "labels": held}}
        expected = sorted(key for key, selector in plain.items() if selector.matches(held))
        assert book.sharers("n", "n/01", plain["n/01"], [pod]) == expected


def test_what_an_autoscaler_selects_is_not_known_before_its_first_look() -> None:
    book = PodSelectors()
    book.enter("n", "n/a")
    book.enter("n", "n/b")
    pod = {"metadata": {"name": "p", "labels": {"app": "a"}}}
    selector = labels.parse("app=a")
    assert book.sharers("n", "n/a", selector, [pod]) == ["n/a"]
    assert book.sharers("n", "n/b", selector, [pod]) == ["n/a", "n/b"]
    assert book.sharers("n", "n/unknown", selector, [pod]) == []


def client(board: Board, *names: str) -> BoardClient:
    return BoardClient(board, KindTable(), "default", [running(name) for name in names])


def test_usage_is_the_sum_of_containers_each_rounded_up() -> None:
    board = Board()
    used = {"a": ContainerSample(1_000_001, 10), "b": ContainerSample(2_000_000, 5)}
    board.post_pods([PodSample("default", "p", 7, 9, used), PodSample("default", "q", 7, 9, {})])
    asked = client(board, "p", "q", "r")
    assert asked.resource("cpu", "") == {"p": (7, 9, 4)}
    assert asked.resource("memory", "") == {"p": (7, 9, 15_000)}
    assert asked.resource("cpu", "b") == {"p": (7, 9, 2)}
    assert asked.resource("cpu", "c") == {}
    assert asked.resource("ephemeral-storage", "") == {}


def test_what_the_board_does_not_know_is_said_in_the_words_of_the_apis() -> None:
    board = Board()
    board.post_values("default", "pods", [ValueSample("x", "qps", 0, 0, 1)])
    asked = client(board, "p")
    fetch = "unable to fetch metrics from custom metrics API: "
    unknown = f"{fetch}the server could not find the metric"
    route = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "name": "r"}
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "name": "w"}
    every = labels.EVERYTHING
    cases = [
        (asked.resource, ("cpu", ""), "no metrics returned from resource metrics API"),
        (asked.raw, ("qps", every), "no metrics returned from custom metrics API"),
        (asked.raw, ("qps", labels.parse("a=b")), f"{unknown} qps for pods"),
        (asked.raw, ("rps", every), f"{unknown} rps for pods"),
        (
            asked.of_object,
            ("hits", route, every),
            f"{unknown} hits for ingresses.networking.k8s.io r",
        ),
        (
            asked.of_object,
            ("hits", widget, every),
            f'{fetch}no matches for kind "Widget" in group "example.com"',
        ),
        (asked.external, ("lag", every), "no metrics returned from external metrics API"),
    ]
    for ask, arguments, text in cases:
        with pytest.raises(MetricsError) as caught:
            ask(*arguments)  # type: ignore[operator]
        assert str(caught.value) == text


def test_a_namespace_is_always_the_autoscalers_own() -> None:
    board = Board()
    board.post_values("default", "namespaces", [ValueSample("default", "cost", 0, 0, 5)])
    reference = {"apiVersion": "v1", "kind": "Namespace", "name": "other"}
    assert client(board).of_object("cost", reference, labels.EVERYTHING) == 5
