"""Informers know what is there; tallies count it as it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.cluster.access import Resource, Selection, WatchEvent
from kubestage.measure import informer
from kubestage.measure.informer import Informer, ObjectCounts
from tests.measure.fake_cluster import FakeCluster
from tests.measure.making import pod

if TYPE_CHECKING:
    from collections.abc import Hashable

    from kubestage.aliases import Json

PODS = Selection(Resource("v1", "Pod"))


def names(obj: Json | None) -> str | None:
    return None if obj is None else f"{obj['metadata']['name']}:{obj['status']['phase']}"


class Notes(list[tuple[str | None, str | None, int]]):
    """What an informer told."""

    def note(self, old: Json | None, new: Json | None, at_ns: int) -> None:
        self.append((names(old), names(new), at_ns))


def is_synced(watched: Informer) -> bool:
    return watched.is_synced


def test_an_informer_tells_what_was_and_what_is() -> None:
    cluster, told = FakeCluster(), Notes()
    cluster.put(pod("a"))
    watched = Informer(cluster, PODS, told.note)
    assert not is_synced(watched)
    cluster.moments.run(1)
    assert is_synced(watched)
    cluster.put(pod("a", phase="Failed"))
    cluster.moments.run(1)
    cluster.remove(pod("a"))
    cluster.moments.run()
    assert told == [
        (None, "a:Running", 0),
        ("a:Running", "a:Failed", 10**9),
        ("a:Failed", None, 2 * 10**9),
    ]
    assert watched.objects == {}


def test_one_that_stopped_hears_of_nothing_and_keeps_what_it_knew() -> None:
    cluster = FakeCluster()
    watched = Informer(cluster, PODS)
    cluster.moments.run()
    cluster.put(pod("a"))
    cluster.moments.run()
    watched.stop()
    cluster.put(pod("b"))
    cluster.moments.run()
    assert list(watched.objects) == ["ns/a"]


def test_the_end_of_something_unknown_is_not_told() -> None:
    told = Notes()
    watched = Informer(FakeCluster(), PODS, told.note)
    watched._on_event(WatchEvent("DELETED", pod("a"), 0))
    assert told == []


def phase(obj: Json) -> Hashable | None:
    return None if obj["status"]["phase"] == "Failed" else str(obj["status"]["phase"])


def test_a_tally_follows_every_change() -> None:
    cluster = FakeCluster()
    counts = ObjectCounts(cluster, PODS, phase)
    cluster.moments.run()
    for name in "ab":
        cluster.put(pod(name, phase="Pending"))
    cluster.put(pod("c", phase="Failed"))
    cluster.moments.run()
    assert (counts.total, counts.number_of("Pending"), counts.number_of("Pending", "Running")) == (
        2,
        2,
        2,
    )
    cluster.put(pod("a"))
    cluster.put(pod("b", phase="Failed"))
    cluster.put(pod("c"))
    cluster.moments.run()
    assert (counts.total, counts.number_of("Pending"), counts.keys("Running")) == (
        2,
        0,
        ["ns/a", "ns/c"],
    )
    cluster.remove(pod("a"))
    cluster.moments.run()
    assert (counts.total, counts.number_of("Running")) == (1, 1)


def test_a_key_has_the_namespace_if_there_is_one() -> None:
    assert informer.key_of(pod("a")) == "ns/a"
    assert informer.key_of({"metadata": {"name": "n1"}}) == "n1"


def test_a_watch_that_does_not_tell_all_in_time_is_an_error() -> None:
    assert informer.synced(True).errors == ()
    assert informer.synced(False).errors == ("timed out waiting for caches to sync",)
