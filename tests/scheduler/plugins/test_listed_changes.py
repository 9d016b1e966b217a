from __future__ import annotations

from typing import Any

import hypothesis
from hypothesis import strategies as st

from kubestage.scheduler.plugins import listed_changes
from kubestage.scheduler.plugins.listed_changes import ListedChanges
from tests.scheduler.plugins import clusters, storages

OBJECTS = tuple({"metadata": {"name": str(number)}} for number in range(6))
_lists = st.lists(st.sampled_from(OBJECTS), unique_by=id)


@hypothesis.given(_lists, _lists)
def test_what_is_taken_out_and_put_in_makes_the_new_list(old: Any, new: Any) -> None:
    gone, come = listed_changes.difference(old, new)
    kept = [each for each in old if all(each is not other for other in gone)]
    assert sorted(map(id, [*kept, *come])) == sorted(map(id, new))


@hypothesis.given(_lists, st.integers(0, 5))
def test_one_change_is_told_as_one(old: Any, place: int) -> None:
    added = {"metadata": {"name": "added"}}
    longer = [*old[:place], added, *old[place:]]
    assert listed_changes.difference(old, longer) == ([], [added])
    assert listed_changes.difference(longer, old) == ([added], [])
    replaced = [*old[:place], added, *old[place + 1 :]]
    assert listed_changes.difference(old, replaced) == (old[place : place + 1], [added])
    assert not any(listed_changes.difference(old, list(old)))


def test_equal_objects_are_not_the_same_object() -> None:
    assert listed_changes.difference([{"x": 1}], [{"x": 1}]) == ([{"x": 1}], [{"x": 1}])


def test_changes_are_told_once() -> None:
    handle = clusters.handle([storages.volume("v")])
    changes = ListedChanges(handle.lister, "v1", "PersistentVolume")
    gone, (come,) = changes.take()
    assert (list(gone), come["metadata"]["name"]) == ([], "v")
    assert not any(changes.take())
    newer = storages.volume("v", size="20Gi")
    handle.client.update(newer)
    assert changes.take() == ([come], [newer])
    assert changes.listed == [newer]
    handle.client.delete(newer)
    assert changes.take() == ([newer], [])
