from __future__ import annotations

import collections

import hypothesis.strategies as st
import pytest
from hypothesis import given

from kubestage.objects import labels
from kubestage.store.indexes import LabelIndex, OwnerIndex, ValueIndex


@pytest.fixture
def index() -> LabelIndex:
    made = LabelIndex()
    made.add({"app": "web", "tier": "front"}, "ns/a")
    made.add({"app": "web"}, "ns/b")
    made.add({"app": "db"}, "ns/c")
    return made


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("app=web", {"ns/a", "ns/b"}),
        ("app in (web,db)", {"ns/a", "ns/b", "ns/c"}),
        ("tier", {"ns/a"}),
        ("app=web,tier=front", {"ns/a"}),
        ("app=none", set()),
        ("none", set()),
        ("none in (x)", set()),
    ],
)
def test_narrows_to_the_smallest_bucket(
    index: LabelIndex, selector: str, expected: set[str]
) -> None:
    found = index.narrowest(labels.parse(selector))
    assert found is not None
    assert set(found) == expected


@pytest.mark.parametrize("selector", ["", "app!=web", "!tier", "app notin (web)", "tier>3"])
def test_what_no_bucket_answers_narrows_nothing(index: LabelIndex, selector: str) -> None:
    assert index.narrowest(labels.parse(selector)) is None


def test_a_selector_of_nothing_has_no_candidates(index: LabelIndex) -> None:
    found = index.narrowest(labels.NOTHING)
    assert found is not None
    assert not list(found)


def test_empty_buckets_are_dropped(index: LabelIndex) -> None:
    index.remove({"app": "db"}, "ns/c")
    index.remove({"app": "web", "tier": "front"}, "ns/a")
    assert index.as_pairs() == {("app", "web"): {"ns/b"}}


def test_a_value_without_keys_has_an_empty_bucket() -> None:
    index = ValueIndex()
    index.add("n1", "ns/a")
    index.remove("n1", "ns/a")
    assert not index.get("n1")
    assert len(index) == 0


@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.sampled_from("abc"), st.sampled_from("xyz")), max_size=30
    )
)
def test_it_is_known_in_how_many_kinds_an_owner_owns_something(
    entries: list[tuple[int, str, str]],
) -> None:
    everywhere: dict[str, int] = {}
    indexes = OwnerIndex(everywhere), OwnerIndex(everywhere)
    present: set[tuple[int, str, str]] = set()
    for entry in entries:
        kind, uid, key = entry
        if entry in present:
            indexes[kind].remove(uid, key)
        else:
            indexes[kind].add(uid, key)
        present ^= {entry}
        owning = {(kind, uid) for kind, uid, _ in present}
        assert everywhere == dict(collections.Counter(uid for _, uid in owning))
