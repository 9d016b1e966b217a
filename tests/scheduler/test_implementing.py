from __future__ import annotations

from typing import Any

import pytest

from kubestage.scheduler import config, framework, profiles
from kubestage.scheduler.implementing import implements
from tests.scheduler.test_registry import _handle

PROTOCOLS = [
    found
    for name in framework.__all__
    if getattr(found := getattr(framework, name), "_is_runtime_protocol", False)
]


class Own:
    """A score of a user's own, and no filter."""

    name = "Own"

    def __init__(self, args: Any, handle: Any) -> None: ...

    def score(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any: ...


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda each: str(each.__name__))
def test_it_is_the_same_as_isinstance(protocol: type[Any]) -> None:
    text = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {multiPoint: {enabled: [{name: Own}]}}}]
"""
    profile = profiles.build(config.load(text), _handle(), {"Own": Own})["default-scheduler"]
    plugins = [*profile.pre_enqueue, *profile.pre_filter, *profile.score, *profile.bind]
    plugins += [*profile.queue_sort, *profile.post_filter, *profile.reserve, Own({}, None)]
    assert any(each.name == "Own" for each in profile.score)
    for each in plugins:
        assert implements(each, protocol) == isinstance(each, protocol), each.name


def test_the_protocols_are_all_there() -> None:
    assert framework.ScoreExtensions in PROTOCOLS
    assert len(PROTOCOLS) > 15
