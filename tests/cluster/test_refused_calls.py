"""For how long refused clients are asked to wait, as kube-apiserver computes it."""

from __future__ import annotations

from kubestage.cluster.refused_calls import RefusedCalls


def asked(*counts: int) -> list[int]:
    """What the first call of each second is told, if so many are refused in each."""
    refused, found = RefusedCalls(), []
    for second, count in enumerate(counts, 1):
        for number in range(count):
            refused.add(second)
            if not number:
                found.append(refused.retry_after)
    return found


def test_the_time_doubles_while_many_are_refused() -> None:
    assert asked(*[50] * 70)[:20] == [1] + [2] * 2 + [4] * 4 + [8] * 8 + [16] * 5
    assert max(asked(*[50] * 70)) == 32


def test_a_few_refusals_do_not_change_it() -> None:
    assert asked(1, 1, 1, 1) == [1] * 4


def test_it_falls_by_a_second_when_few_are_refused() -> None:
    assert asked(50, 50, 50, 50, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1)[-2:] == [3, 2]


def test_the_total_is_counted() -> None:
    refused = RefusedCalls()
    for second in (1, 1, 2):
        refused.add(second)
    assert refused.total == 3
