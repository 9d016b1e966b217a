"""Webhooks: asked about new objects, and remembered as far as they say what they depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from kubestage.testing import make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind


class _Painter:
    """Gives the pods of one namespace a colour."""

    def __init__(self) -> None:
        self.colour = "red"
        self.asked = 0

    def mark(self, kind: Kind, obj: Json, namespace: str) -> bytes:
        del kind, obj
        return self.colour.encode() if namespace == "painted" else b""

    def admit(self, kind: Kind, obj: Json, namespace: str) -> Json:
        self.asked += 1
        if kind.kind != "Pod" or namespace != "painted":
            return obj
        labels = {**(obj["metadata"].get("labels") or {}), "colour": self.colour}
        return {**obj, "metadata": {**obj["metadata"], "labels": labels}}


def _colour(store: Store, name: str, namespace: str) -> str | None:
    created = store.create(make_pod(name, namespace=namespace))
    found: str | None = (created["metadata"].get("labels") or {}).get("colour")
    return found


def test_siblings_are_made_from_one_answer_until_it_would_be_another() -> None:
    store = Store(Clock(), Streams(0), implicit_namespaces=True)
    painter = _Painter()
    store.add_webhook(painter)
    assert _colour(store, "a", "painted") == "red"
    asked = painter.asked
    assert _colour(store, "b", "painted") == "red"
    assert painter.asked == asked
    painter.colour = "blue"
    assert _colour(store, "c", "painted") == "blue"
    assert _colour(store, "d", "plain") is None


def test_a_webhook_that_is_taken_away_is_not_asked() -> None:
    store = Store(Clock(), Streams(0), implicit_namespaces=True)
    painter = _Painter()
    store.add_webhook(painter)
    _colour(store, "a", "painted")
    store.remove_webhook(painter)
    assert _colour(store, "b", "painted") is None
