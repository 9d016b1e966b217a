"""The decisions in which two runs differ, one by one."""

from __future__ import annotations

from kubestage.results.comparison import decisions
from kubestage.results.history.attempt_rows import AttemptRow
from kubestage.scheduler.record import Decision


def row(number: int, pod: str, node: str, at: int | None = None) -> AttemptRow:
    result = "scheduled" if node else "unschedulable"
    found = Decision(number, 0, f"default/{pod}", "p", result, node, 2, 1, "")
    return AttemptRow(found, f"uid-{pod}", number if at is None else at)


def rows(*pairs: tuple[str, str]) -> list[AttemptRow]:
    return [row(number, pod, node) for number, (pod, node) in enumerate(pairs, 1)]


def found(first: list[AttemptRow], second: list[AttemptRow]) -> list[tuple[str, str, str]]:
    return [
        (
            each.what,
            "-"
            if each.first is None
            else f"{each.first.decision.pod[8:]}:{each.first.decision.node}",
            "-"
            if each.second is None
            else f"{each.second.decision.pod[8:]}:{each.second.decision.node}",
        )
        for each in decisions.compare(first, second).differing
    ]


def test_the_same_decisions_differ_nowhere() -> None:
    same = rows(("a", "n1"), ("b", "n2"))
    compared = decisions.compare(same, rows(("a", "n1"), ("b", "n2")))
    assert compared == (2, [])


def test_the_first_is_where_they_part_and_others_follow_by_pod() -> None:
    first = rows(("a", "n1"), ("b", "n2"), ("c", ""), ("d", "n1"))
    second = rows(("a", "n1"), ("b", "n1"), ("c", "n2"), ("d", "n1"))
    assert decisions.compare(first, second).same == 1
    assert found(first, second) == [("node", "b:n2", "b:n1"), ("result", "c:", "c:n2")]


def test_another_order_is_where_they_part_and_no_difference_after_that() -> None:
    first = rows(("a", "n1"), ("b", "n2"), ("c", "n3"))
    second = rows(("a", "n1"), ("c", "n3"), ("b", "n2"))
    assert found(first, second) == [("pod", "b:n2", "c:n3")]


def test_a_run_with_more_attempts_differs_in_those() -> None:
    first = rows(("a", ""), ("a", "n1"))
    second = rows(("a", ""))
    assert found(first, second) == [("end", "a:n1", "-")]
    assert found(second, first) == [("end", "-", "a:n1")]
    assert found([], first) == [("end", "-", "a:"), ("end", "-", "a:n1")]


def test_pods_of_one_owner_are_paired_whatever_their_names_are() -> None:
    first = rows(("web-aaaaa", "n1"), ("web-bbbbb", "n2"))
    second = rows(("web-ccccc", "n1"), ("web-ddddd", "n3"))
    assert found(first, second) == [
        ("pod", "web-aaaaa:n1", "web-ccccc:n1"),
        ("node", "web-bbbbb:n2", "web-ddddd:n3"),
    ]


def test_they_come_in_order_of_time() -> None:
    first = [row(1, "a", "n1", 10), row(2, "b", "n1", 20), row(3, "c", "n1", 30)]
    second = [row(1, "a", "n2", 10), row(2, "c", "n2", 15), row(3, "b", "n2", 40)]
    times = [each.unix_ns for each in decisions.compare(first, second).differing]
    assert times == sorted(times) == [10, 15, 20]
