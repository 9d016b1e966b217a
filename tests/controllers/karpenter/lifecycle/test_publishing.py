"""Events of Karpenter: the same one not again while it holds, however many do."""

from __future__ import annotations

import pytest

from kubestage.controllers.karpenter import events
from kubestage.controllers.karpenter.lifecycle import publishing
from kubestage.controllers.karpenter.lifecycle.publishing import Publisher
from kubestage.controllers.lister import Lister
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.event_recorder import EventRecorder
from kubestage.store.store import Store
from kubestage.testing import make_pod
from kubestage.units import MINUTE_NS

POD = ("v1", "Pod")


class Scene:
    """Pods, and a publisher that remembers few Events before it looks which still hold."""

    def __init__(self, pods: int) -> None:
        self.clock = Clock()
        self.store = Store(self.clock, Streams(0), implicit_namespaces=True)
        for number in range(pods):
            self.store.create(make_pod(f"p{number}"))
        recorder = EventRecorder(self.store, "karpenter")
        self._publisher = Publisher(recorder, Lister(self.store), self.clock)
        self.searches = 0

    def publish(self) -> None:
        for pod in list(self.store.read(POD).values()):
            before = self._known
            self._publisher.publish(events.about("Pod", pod, "Nominated", "to a node"))
            self.searches += self._known is not before

    @property
    def _known(self) -> dict[events.Event, int]:
        known: dict[events.Event, int] = self._publisher.__dict__["_until_ns"]
        return known

    @property
    def remembered(self) -> int:
        return len(self._known)

    @property
    def written(self) -> int:
        return sum(each["count"] for each in self.store.read(("v1", "Event")).values())


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setattr(publishing, "_MOST", 4)
    return Scene(64)


def test_events_that_hold_are_written_once_and_not_searched_for_each(scene: Scene) -> None:
    scene.publish()
    assert (scene.written, scene.remembered) == (64, 64)
    # At 4, 8, 16, 32: each time twice as many may be remembered.
    assert scene.searches == 4
    scene.publish()
    assert (scene.written, scene.searches) == (64, 4)


def test_events_are_written_again_and_old_ones_forgotten(scene: Scene) -> None:
    scene.publish()
    scene.clock.now_ns = 3 * MINUTE_NS
    scene.publish()
    assert scene.written == 128
    scene.clock.now_ns = 6 * MINUTE_NS
    scene.store.create(make_pod("other"))
    scene.publish()
    assert scene.written == 128 + 65
    # Of 64 that held, 64 more may be remembered before those that hold no more are forgotten.
    assert scene.remembered <= 128
