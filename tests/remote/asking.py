"""Asking a real cluster in a test: one thing at a time, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.cluster.access import Answer, Call, Page, Resource, Selection, WatchEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.remote.cluster import RemoteCluster
    from kubestage.remote.subscription import RemoteSubscription

POD = Resource("v1", "Pod")
CONFIG_MAP = Resource("v1", "ConfigMap")
NAMESPACE = Resource("v1", "Namespace")
DEPLOYMENT = Resource("apps/v1", "Deployment")
PATIENCE_NS = 30_000_000_000


def wait(cluster: RemoteCluster, until: Callable[[], bool]) -> None:
    """Let a cluster go on until something is true; a test that waits in vain fails."""
    end_ns = cluster.moments.now_ns + PATIENCE_NS
    while not until():
        assert cluster.moments.now_ns < end_ns, "that did not come true"
        # A run ends when a callback makes it end, and what is waited for may need none.
        pause(cluster, 2_000_000, until)


def pause(cluster: RemoteCluster, ns: int, until: Callable[[], bool] = lambda: False) -> None:
    """Let a time go by, or less if something comes true."""
    over: list[bool] = []
    timer = cluster.moments.at(cluster.moments.now_ns + ns, lambda: over.append(True))
    cluster.run(lambda: bool(over) or until())
    timer.cancel()


def ask(cluster: RemoteCluster, verb: str, resource: Resource, **more: Any) -> Answer:
    """Make one call and wait for its answer."""
    answers: list[Answer] = []
    cluster.call(Call(verb=verb, resource=resource, **more), answers.append)
    assert not answers, "an answer never comes from within the call"
    wait(cluster, lambda: bool(answers))
    return answers[0]


def done(answer: Answer) -> dict[str, Any]:
    """The object of an answer that is no refusal."""
    assert answer.error is None, answer.error
    assert answer.object is not None
    return answer.object


def page(cluster: RemoteCluster, path: str) -> Page:
    """One raw page."""
    pages: list[Page] = []
    cluster.raw(path, pages.append)
    wait(cluster, lambda: bool(pages))
    return pages[0]


class Watching:
    """A watcher that writes down what it is told."""

    def __init__(self, cluster: RemoteCluster, resource: Resource, **more: str) -> None:
        self.cluster = cluster
        self.told: list[WatchEvent] = []
        self.subscription: RemoteSubscription = cluster.watch(
            Selection(resource, **more), self.told.append
        )

    def synced(self) -> Watching:
        """Itself, once all that was there has been told."""
        wait(self.cluster, lambda: self.subscription.is_synced)
        return self

    def wait_for(self, count: int) -> list[tuple[str, str]]:
        """The first so many things that it is told."""
        wait(self.cluster, lambda: len(self.told) >= count)
        return self.names()

    def names(self) -> list[tuple[str, str]]:
        return [(each.type, each.object["metadata"]["name"]) for each in self.told]


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
