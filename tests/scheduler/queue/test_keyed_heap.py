from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.scheduler.queue import keyed_heap
from kubestage.scheduler.queue.keyed_heap import KeyedHeap
from kubestage.scheduler.queue.queued_pod import QueuedPod
from tests.scheduler.queue import queues

NAMES = "abcde"
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from(NAMES), st.integers(0, 3)),
        st.tuples(st.just("take"), st.sampled_from(NAMES), st.just(0)),
        st.tuples(st.just("pop"), st.just(""), st.just(0)),
    ),
    max_size=200,
)


def queued(name: str) -> QueuedPod:
    return QueuedPod(queues.pod(name), 0, 0)


@pytest.mark.parametrize("many", [1, 64])
@given(steps=STEPS)
def test_it_behaves_like_a_list_sorted_by_rank_and_arrival(
    many: int, steps: list[tuple[str, str, int]]
) -> None:
    with mock.patch.object(keyed_heap, "_MANY", many):
        _check(steps)


def _check(steps: list[tuple[str, str, int]]) -> None:
    heap = KeyedHeap()
    pods = {name: queued(name) for name in NAMES}
    model: dict[str, tuple[int, int]] = {}
    for number, (step, name, rank) in enumerate(steps):
        if step == "put":
            heap.put(pods[name].key, (rank,), pods[name])
            model[name] = rank, number
        elif step == "take":
            found = heap.take(pods[name].key)
            assert found is (pods[name] if model.pop(name, None) else None)
        else:
            first = min(model, key=lambda each: model[each], default=None)
            peeked = heap.peek()
            assert (peeked and peeked[1].pod.name) == first
            popped = heap.pop()
            assert (popped and popped.pod.name) == first
            model.pop(first or "", None)
        assert len(heap) == len(model)
        assert {each.pod.name for each in heap} == set(model)


def test_ranking_one_pod_over_and_over_does_not_make_it_grow() -> None:
    heap = KeyedHeap()
    only = queued("only")
    for rank in range(1000):
        heap.put(only.key, (rank,), only)
    assert len(heap._heap) < 100
    assert heap.pop() is only
    assert heap.pop() is None
