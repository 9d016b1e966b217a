"""``cluster.expect``: what a test expects of its cluster, and what it reads if that is not so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage import lazy
from kubestage.errors import ExpectationFailed
from kubestage.testing.clusters import messages

with lazy.imports():
    from kubestage.testing.clusters import (
        event_expectations,
        object_expectations,
        pod_expectations,
        trials,
    )

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.testing.clusters.cluster import Cluster
    from kubestage.testing.clusters.messages import Problem
    from kubestage.testing.clusters.object_expectations import ObjectExpectation
    from kubestage.testing.clusters.pod_expectations import PodsExpectation


def hold(cluster: Cluster, check: Callable[[], Problem | None], within: str | int | None) -> None:
    """Have a check hold now, or within some virtual time; ExpectationFailed if it does not.

    A check returns why it does not hold, None if it does.
    """
    __tracebackhide__ = True
    if within is not None:
        try:
            cluster.run_until(lambda: cluster.do(check) is None, within)
        except ExpectationFailed:
            pass
        else:
            return
    text = cluster.do(lambda: _message(cluster, check(), within))
    if text is not None:
        raise ExpectationFailed(text)


def _message(cluster: Cluster, problem: Problem | None, within: str | int | None) -> str | None:
    return None if problem is None else messages.failure(cluster.stage, problem, within)


class Expect:
    """What is expected of a cluster; ``cluster.expect("deploy/web")`` is about one object.

    Every expectation is about now, unless it has a `within`: then virtual time passes until it
    holds, so long at most.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def __call__(self, name: str, namespace: str | None = None) -> ObjectExpectation:
        """What is expected of an object: ``deploy/web``, ``pod/shop/web-0``, ``widget/one``."""
        return object_expectations.ObjectExpectation(self._cluster, name, namespace)

    def pods(self, selector: str = "", namespace: str | None = None) -> PodsExpectation:
        """What is expected of the pods with these labels, as in ``app=web``."""
        return pod_expectations.selected(self._cluster, selector, namespace)

    def schedulable(self, *manifests: Any) -> Expect:
        """Objects would find room now, on the nodes that are there; tried on a copy."""
        __tracebackhide__ = True
        trials.schedulable(self._cluster, manifests)
        return self

    def survives(
        self,
        *,
        zone: str | None = None,
        node: str | None = None,
        lasts: str = "15m",
        at_least: int = 1,
    ) -> Expect:
        """Every workload keeps `at_least` ready replicas while a zone or node is silent.

        And it has all of them again in the end. This is tried on a copy.
        """
        __tracebackhide__ = True
        trials.survives(self._cluster, None, zone, node, lasts, at_least)
        return self

    def events(
        self,
        *,
        reason: str = "",
        message: str = "",
        at_least: int = 1,
        within: str | int | None = None,
    ) -> Expect:
        """There are Events with this reason, whose message has this text in it."""
        __tracebackhide__ = True
        required = event_expectations.ExpectedEvents(None, reason, message, at_least)
        hold(self._cluster, lambda: event_expectations.missing(self._cluster, required), within)
        return self

    def no_events(self, *, reason: str = "", message: str = "") -> Expect:
        """There are none such."""
        __tracebackhide__ = True
        unexpected = event_expectations.ExpectedEvents(None, reason, message, 0)
        hold(self._cluster, lambda: event_expectations.unexpected(self._cluster, unexpected), None)
        return self
