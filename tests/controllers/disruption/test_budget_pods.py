from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.controllers import pods
from kubestage.controllers.disruption.budget_pods import BudgetPodsIndex
from kubestage.controllers.ownership import controller_of
from kubestage.objects import labels
from kubestage.stage import Stage
from kubestage.testing import make_replica_set
from tests.controllers.living import running, set_ready

if TYPE_CHECKING:
    from kubestage.store.log import Change

_NAMES = st.sampled_from(("a", "b", "c", "d"))
_STEPS = st.lists(
    st.tuples(st.sampled_from(("add", "own", "ready", "unready", "relabel", "delete")), _NAMES),
    max_size=30,
)
_SELECTOR = labels.selector_from_set({"app": "web"})


class _Listener:
    def __init__(self, stage: Stage) -> None:
        self.index = BudgetPodsIndex()
        self.budget_pods = self.index.open("default", "default/web", _SELECTOR, ())
        stage.store.subscribe(self.on_change)

    def on_change(self, change: Change) -> None:
        if change.kind.kind == "Pod":
            self.index.on_change(change)


def _do(stage: Stage, step: str, name: str) -> None:
    is_there = f"default/{name}" in stage.store.read(pods.POD)
    if step in ("add", "own") and not is_there:
        owner = stage.store.read(("apps/v1", "ReplicaSet"))["default/rs"]
        stage.store.load(running(name, owner=owner if step == "own" else None))
    elif is_there and step in ("ready", "unready"):
        set_ready(stage, name, ready=step == "ready")
    elif is_there and step == "relabel":
        held = stage.store.read(pods.POD)[f"default/{name}"]["metadata"]["labels"]["app"]
        other = "other" if held == "web" else "web"
        stage.store.patch(pods.POD, name, {"metadata": {"labels": {"app": other}}})
    elif is_there and step == "delete":
        stage.store.delete(pods.POD, name)


@settings(max_examples=50, deadline=None)
@given(_STEPS)
def test_counting_along_gives_what_counting_anew_gives(steps: list[tuple[str, str]]) -> None:
    stage = Stage()
    stage.store.create(make_replica_set("rs"))
    listener = _Listener(stage)
    for step, name in steps:
        _do(stage, step, name)
    found = stage.store.list(pods.POD, "default", label_selector="app=web").items
    healthy = [each for each in found if pods.is_ready(each) and not pods.is_terminating(each)]
    budget_pods = listener.budget_pods
    assert len(budget_pods) == len(found)
    assert budget_pods.healthy == len(healthy)
    assert budget_pods.unmanaged == sum(controller_of(each) is None for each in found)
    assert sum(
        len(each.pods) for each in budget_pods.owners.values()
    ) + budget_pods.unmanaged == len(found)
