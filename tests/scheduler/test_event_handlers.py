"""What the scheduler knows of pods that were bound is what the store has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from kubestage.objects.views import pod as pod_views
from kubestage.testing import make_node
from tests.scheduler.rehearsals import POD, Rehearsal

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView


def known(run: Rehearsal, name: str) -> PodView:
    found = run.scheduler.cache.known_pod(run.pod(name)["metadata"]["uid"])
    assert found is not None
    return found


def assert_known_as_stored(run: Rehearsal, name: str) -> None:
    """The view at hand is the one that would be made of the object."""
    stored = run.pod(name)
    found, fresh = known(run, name), pod_views.of(stored)
    assert found.raw is stored
    assert found.plan is fresh.plan
    for field in found.__struct_fields__:
        assert getattr(found, field) == getattr(fresh, field), field


def used_milli_cpu(run: Rehearsal) -> int:
    return int(run.scheduler.cache.columns.requested_of("cpu").sum())


def test_a_pod_that_it_bound_is_known_as_it_is_stored() -> None:
    run = Rehearsal(make_node("n1", cpu="4"), by_itself=False)
    for name in ("a", "b"):
        run.add_pod(name, cpu="1", labels={"app": name})
    run.scheduler.run_until_idle()
    for name in ("a", "b"):
        assert_known_as_stored(run, name)
        assert not run.scheduler.cache.assumed_pod(run.pod(name)["metadata"]["uid"])
    assert used_milli_cpu(run) == 2000


def test_a_promise_is_kept_and_forgotten_when_the_pod_is_bound() -> None:
    run = Rehearsal(make_node("n1", cpu="4"), by_itself=False)
    run.add_pod("a", cpu="1")
    run.store.patch(POD, "a", {"status": {"nominatedNodeName": "n1"}}, subresource="status")
    run.scheduler.run_until_idle()
    assert_known_as_stored(run, "a")
    assert known(run, "a").nominated_node_name == ""


@pytest.mark.parametrize(
    "written", [{}, {"labels": {"app": "x"}}, {"annotations": {"by": "me"}}], ids=str
)
def test_a_pod_that_somebody_else_bound_is_known_likewise(written: Json) -> None:
    run = Rehearsal(make_node("n1", cpu="4"), by_itself=False)
    run.add_pod("a", cpu="1")
    run.store.bind("a", "default", "n1", **written)
    assert_known_as_stored(run, "a")
    assert used_milli_cpu(run) == 1000
    assert run.where() == {}


@pytest.mark.parametrize("node", ["n1", "n2"])
def test_a_pod_that_is_bound_under_its_hands_is_where_it_was_bound(node: str) -> None:
    """It was to go to n1, and another binds it first, perhaps elsewhere."""
    run = Rehearsal(make_node("n1", cpu="4"), make_node("n2", cpu="4"), by_itself=False)
    run.add_pod("a", cpu="1")
    queued = run.scheduler.queue.pop()
    assert queued is not None
    run.scheduler.cache.assume_pod(msgspec.structs.replace(queued.pod, node_name="n1"))
    run.store.bind("a", "default", node, labels={"app": "x"})
    assert_known_as_stored(run, "a")
    assert known(run, "a").node_name == node
    assert used_milli_cpu(run) == 1000


def test_a_pod_whose_status_speaks_of_resources_counts_for_what_it_says() -> None:
    run = Rehearsal(make_node("n1", cpu="4"), by_itself=False)
    run.add_pod("a", cpu="1")
    statuses = [{"name": "main", "resources": {"requests": {"cpu": "2"}}}]
    run.store.record_status(
        POD, "default/a", {**run.pod("a")["status"], "containerStatuses": statuses}
    )
    run.scheduler.run_until_idle()
    assert_known_as_stored(run, "a")


def test_it_hears_of_nothing_once_it_has_retired() -> None:
    run = Rehearsal(make_node("n1", cpu="4"), by_itself=False)
    run.scheduler.retire(run.store)
    run.add_pod("a", cpu="1")
    run.add_node("n2")
    assert run.where() == {}
    assert run.scheduler.cache.columns.names == ["n1"]
