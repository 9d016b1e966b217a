"""Each rule of the choice decides only where the ones before it do not."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.preemption import candidate
from kubestage.scheduler.preemption.candidates import Candidate
from tests.scheduler.preemption import crowd


def _candidate(name: str, *victims: tuple[int, int | None], violations: int = 0) -> Candidate:
    pods: list[dict[str, Any]] = [
        crowd.pod(f"{name}-{at}", priority=priority, start=start)
        for at, (priority, start) in enumerate(victims)
    ]
    return Candidate(name, tuple(map(pod_views.of, pods)), violations)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (
            _candidate("fewest broken budgets", (9, 1), (9, 1)),
            _candidate("other", (0, 1), violations=1),
        ),
        (
            _candidate("lowest highest priority", (5, 1), (5, 1), (5, 1)),
            _candidate("other", (6, 1)),
        ),
        (_candidate("lowest sum", (5, 1), (1, 1)), _candidate("other", (5, 1), (2, 1))),
        (_candidate("fewest of negative ones", (-5, 1)), _candidate("other", (-5, 1), (-5, 1))),
        (
            _candidate("fewest victims", (2**31 - 1, 1), (2**31 - 1, 1)),
            _candidate("other", (2**31 - 1, 1), (0, 1), (-1, 1)),
        ),
        (
            _candidate("latest start of the first", (5, 2), (1, 0)),
            _candidate("other", (5, 1), (1, 9)),
        ),
        (
            _candidate("earliest of the highest", (5, 3), (5, 2)),
            _candidate("other", (5, 9), (5, 1)),
        ),
        (_candidate("not started is latest", (5, None)), _candidate("other", (5, 59))),
    ],
    ids=lambda candidate: candidate.node_name,
)
def test_the_least_harm_is_chosen(better: Candidate, worse: Candidate) -> None:
    assert candidate.best([better, worse]) == candidate.best([worse, better]) == [better]


def test_what_no_rule_tells_apart_is_a_tie_in_the_given_order() -> None:
    one, two = _candidate("one", (5, 1)), _candidate("two", (5, 1))
    assert candidate.best([two, one, _candidate("worse", (6, 1))]) == [two, one]


def test_without_candidates_there_is_no_choice() -> None:
    assert candidate.best([]) == []
