"""Scenarios for the tests of commands, written into the current directory."""

from __future__ import annotations

import functools
import json
import pathlib
import tempfile
from typing import TYPE_CHECKING

from kubestage.cli import app
from kubestage.testing import make_node, make_pod, make_priority_class

if TYPE_CHECKING:
    from kubestage.aliases import Json

API_VERSION = "simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1"


def scenario(*steps: list[Json], name: str = "story") -> Json:
    """A Scenario that creates the objects of each step, and is done then.

    A tuple of a kind and a name is an object to be deleted.
    """
    events: list[Json] = []
    for step, objects in enumerate(steps):
        events += [_event(len(events) + at, step, each) for at, each in enumerate(objects)]
    done = {"id": "done", "step": len(steps), "operation": "Done", "doneOperation": {"done": True}}
    return {
        "apiVersion": API_VERSION,
        "kind": "Scenario",
        "metadata": {"name": name},
        "spec": {"events": [*events, done]},
    }


def deletion(kind: str, name: str) -> Json:
    """What stands for a deletion in a step."""
    return {"delete": (kind, name)}


def _event(number: int, step: int, obj: Json) -> Json:
    head = {"id": f"event-{number}", "step": step}
    if "delete" not in obj:
        return {**head, "operation": "Create", "createOperation": {"object": obj}}
    kind, name = obj["delete"]
    meta = {"name": name} if kind == "Node" else {"name": name, "namespace": "default"}
    operation = {"typeMeta": {"apiVersion": "v1", "kind": kind}, "objectMeta": meta}
    return {**head, "operation": "Delete", "deleteOperation": operation}


def write(obj: Json, path: str = "scenario.json") -> None:
    """Keep a Scenario in a file."""
    pathlib.Path(path).write_text(json.dumps(obj))


def keep(scenario: Json, *options: str, out: str = "kept") -> None:
    """Run a Scenario and keep the run; one that was made before is not made again."""
    directory = pathlib.Path(out)
    directory.mkdir(parents=True)
    for name, content in _kept(json.dumps(scenario), options).items():
        (directory / name).write_bytes(content)


@functools.cache
def _kept(text: str, options: tuple[str, ...]) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as place:
        source, out = pathlib.Path(place, "scenario.json"), pathlib.Path(place, "kept")
        source.write_text(text)
        assert app.run(["run", str(source), "--out", str(out), *options]) == 0
        return {path.name: path.read_bytes() for path in out.iterdir()}


def rivalry() -> Json:
    """Two nodes full of pods; a stronger one takes a place, another stays pending."""
    return scenario(
        [
            make_priority_class("high", 1000),
            make_node("n1", cpu="2"),
            make_node("n2", cpu="2"),
            make_pod("small", cpu="1"),
            make_pod("big", cpu="2"),
        ],
        [make_pod("vip", cpu="2", priority_class_name="high"), make_pod("late", cpu="2")],
    )
