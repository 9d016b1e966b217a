"""A scheduler in the process binds and preempts; if it writes anything else, the Scenario fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage import Stage
from kubestage.scheduler.framework import SUCCESS
from kubestage.testing import make_node, make_pod
from tests.scenario import building
from tests.scenario.building import NODE, POD, create, done, scenario

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.scenario.scheduling import NextPod
    from kubestage.store.store import Store


FOREIGN = "{} by somebody else while the Scenario was running"
CONFIGURATION = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    reserve: {enabled: [{name: Writing}]}
"""


def _create(handle: Any) -> None:
    handle.client.create(make_node("extra"))


def _edit(handle: Any) -> None:
    node = handle.lister.get("v1", "Node", "n1")
    handle.client.update({**node, "metadata": {**node["metadata"], "labels": {"x": "y"}}})


def _label(handle: Any) -> None:
    pod = handle.lister.get("v1", "Pod", "p", "default")
    handle.client.update({**pod, "metadata": {**pod["metadata"], "labels": {"x": "y"}}})


def _delete(handle: Any) -> None:
    handle.client.delete(handle.lister.get("v1", "Pod", "waiting", "default"))


def _nothing(handle: Any) -> None:
    del handle


WRITES: dict[str, tuple[Callable[[Any], None], str]] = {
    "create": (_create, "Node extra was created"),
    "edit": (_edit, "Node n1 was changed"),
    "label": (_label, "Pod default/p was changed"),
    # It is told to go, and has a grace period.
    "delete": (_delete, "Pod default/waiting was changed"),
}


class Writing:
    """A plugin that writes what it likes when a pod gets its node."""

    name = "Writing"
    write: Callable[[Any], None] = staticmethod(_nothing)

    def __init__(self, args: Json | None, handle: Any) -> None:
        del args
        self._handle = handle

    def reserve(self, state: Any, pod: Any, node_name: str) -> Any:
        del state, node_name
        if pod.name == "p":
            type(self).write(self._handle)
        return SUCCESS

    def unreserve(self, state: Any, pod: Any, node_name: str) -> None:
        """Nothing is reserved."""


def _events() -> list[Json]:
    gated = make_pod("waiting")
    gated["spec"]["schedulingGates"] = [{"name": "later"}]
    return [create(make_node("n1")), create(gated), create(make_pod("p"), 1), done(2)]


def _with_plugin(
    monkeypatch: pytest.MonkeyPatch, write: Callable[[Any], None], **more: Any
) -> Stage:
    monkeypatch.setattr(Writing, "write", staticmethod(write))
    stage = Stage()
    stage.add_scheduler(CONFIGURATION, plugins={"Writing": Writing})
    stage.add_controllers()
    stage.add_scenarios()
    stage.store.create(scenario(*_events(), **more))
    stage.run_scenarios()
    return stage


@pytest.mark.parametrize("duration", [None, "10s"])
@pytest.mark.parametrize("write", WRITES)
def test_a_plugin_that_writes_foreign_objects_fails_the_scenario(
    write: str, duration: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Basically, no one other than scenario controller should create/edit/delete resources."""
    does, told = WRITES[write]
    stage = _with_plugin(monkeypatch, does, step_duration=duration)
    assert building.phase(stage) == "Failed"
    assert building.message(stage) == FOREIGN.format(told)
    assert building.status(stage)["step"] == 1
    assert stage.scenarios is not None
    assert stage.scenarios.current is None


def test_the_next_scenario_runs_as_if_nothing_had_happened(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = _with_plugin(monkeypatch, _create)
    monkeypatch.setattr(Writing, "write", staticmethod(_nothing))
    stage.store.create(scenario(*_events(), name="next"))
    stage.run_scenarios()
    assert building.phase(stage, "next") == "Succeeded"


class _Editing:
    """A scheduler of one's own that does more than it should."""

    def __init__(self, write: Callable[[Store], Any]) -> None:
        self._write = write

    def __call__(self, store: Store, next_pod: NextPod) -> None:
        for pod in store.list(POD).items:
            if not pod["spec"].get("nodeName") and next_pod(pod):
                store.bind(pod["metadata"]["name"], "default", "n1")
                self._write(store)


@pytest.mark.parametrize(
    ("write", "told"),
    [
        (lambda store: store.create(make_node("extra")), "Node extra was created"),
        (lambda store: store.create(make_pod("extra")), "Pod default/extra was created"),
        (lambda store: store.delete(NODE, "n1"), "Node n1 was deleted"),
    ],
)
def test_a_scheduler_of_one_s_own_is_held_to_the_same(write: Any, told: str) -> None:
    stage = building.run(
        create(make_node("n1")), create(make_pod("p")), done(1), scheduler=_Editing(write)
    )
    assert building.phase(stage) == "Failed"
    assert building.message(stage) == FOREIGN.format(told)


def test_what_a_scheduler_may_write_is_no_failure() -> None:
    """It binds, preempts, and says why a pod has no node."""
    stage = building.run(
        building.importance(),
        create(make_node("n1", cpu="2")),
        create(make_pod("low", cpu="2")),
        create(make_pod("big", cpu="9"), 1),
        create(building.important("boss", cpu="2"), 1),
        done(2),
        alive=True,
    )
    assert building.phase(stage) == "Succeeded"
