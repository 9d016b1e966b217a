"""Who is worth more than whom."""

from __future__ import annotations

from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.preemption import reprieve
from tests.scheduler.preemption import crowd


def _order(*pods: dict[str, object]) -> list[str]:
    views = [pod_views.of(each) for each in pods]
    return [each.name for each in reprieve.most_important_first(views)]


def test_priority_counts_before_age_and_age_before_youth() -> None:
    assert _order(
        crowd.pod("young", start=5),
        crowd.pod("low", priority=-1, start=0),
        crowd.pod("old", start=1),
        crowd.pod("high", priority=1, start=9),
    ) == ["high", "old", "young", "low"]


def test_a_pod_that_has_not_started_is_the_youngest() -> None:
    assert _order(crowd.pod("waiting"), crowd.pod("running", start=59)) == ["running", "waiting"]


def test_pods_that_started_together_keep_their_order() -> None:
    assert _order(crowd.pod("b", start=1), crowd.pod("a", start=1)) == ["b", "a"]


def test_pods_that_have_not_started_come_out_backwards() -> None:
    assert _order(crowd.pod("a"), crowd.pod("b"), crowd.pod("c")) == ["c", "b", "a"]
