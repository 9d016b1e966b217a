from __future__ import annotations

import pytest

from kubestage.replay import settling
from tests.replay import scenarios


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("a pod exists", False, True),
        ("a second pod exists", False, False),
        ("1 pods exist", False, True),
        ("a job exists", False, False),
        ("pods gone", True, False),
        ("the pods are gone", True, False),
        ("namespace gone", False, False),
        ("condition PodScheduled", False, True),
        ("condition Failed", False, False),
        ("condition Ready=False", False, False),
    ],
)
def test_words_are_understood(text: str, before: bool, after: bool) -> None:
    lab = scenarios.Lab(scenarios.make(kubelet="rounds", quiet=9))
    store, namespace = lab.cluster.store, lab.cluster.namespace
    assert settling.is_known_condition(text)
    assert settling.condition_holds(text, store, namespace) is before
    lab.create(scenarios.pod("a"))
    lab.run(1)
    assert settling.condition_holds(text, store, namespace) is after


def test_what_is_not_understood_is_not_waited_for() -> None:
    lab = scenarios.Lab()
    assert not settling.is_known_condition("all is well")
    assert settling.condition_holds("all is well", lab.cluster.store, lab.cluster.namespace)
