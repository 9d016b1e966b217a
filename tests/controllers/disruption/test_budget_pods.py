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
from tests.reference.budget_pods import PlainBudgetPods

if TYPE_CHECKING:
    from kubestage.store.log import Change

_NAMES = st.sampled_from(("a", "b", "c", "d"))
_STEP_NAMES = st.sampled_from(("add", "own", "ready", "unready", "relabel", "delete"))
_STEPS = st.lists(st.tuples(_STEP_NAMES, _NAMES), max_size=30)
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


_SELECTORS = {
    "default/all": labels.EVERYTHING,
    "default/none": labels.NOTHING,
    "default/other": labels.parse("app=other"),
    "default/some": labels.parse("app in (web, other)"),
    "default/web": _SELECTOR,
}
_BUDGETS = st.sampled_from(tuple(_SELECTORS))
_BUDGET_STEPS = st.tuples(st.sampled_from(("open", "close", "loud")), _BUDGETS)


class _Both:
    """Has the index and the plain count receive the same, and compares what they answer."""

    def __init__(self, stage: Stage) -> None:
        self.index = BudgetPodsIndex()
        self.plain = PlainBudgetPods()
        self._stage = stage
        stage.store.subscribe(self.on_change, {("", "Pod")})

    def on_change(self, change: Change) -> None:
        assert self.index.noisy("default", change) == self.plain.noisy(change)
        assert self.index.on_change(change) == list(self.plain.on_change(change))

    def do(self, step: str, key: str) -> None:
        selector = _SELECTORS[key]
        if step == "open":
            found = [
                (name, pod)
                for name, pod in self._stage.store.read(pods.POD).items()
                if selector.matches(pod["metadata"].get("labels") or {})
            ]
            self.index.open("default", key, selector, found)
            self.plain.open(key, selector, found)
        elif step == "close":
            self.index.close("default", key)
            self.plain.close(key)
        elif key in self.plain.budgets:
            for budget_pods in (self.index.get("default", key), self.plain.budgets[key]):
                assert budget_pods is not None
                budget_pods.is_noisy = not budget_pods.is_noisy


@settings(max_examples=50, deadline=None)
@given(st.lists(_BUDGET_STEPS | st.tuples(_STEP_NAMES, _NAMES), max_size=40))
def test_the_index_answers_as_trying_every_budget_does(steps: list[tuple[str, str]]) -> None:
    stage = Stage()
    stage.store.create(make_replica_set("rs"))
    both = _Both(stage)
    for step, name in steps:
        if step in ("open", "close", "loud"):
            both.do(step, name)
        else:
            _do(stage, step, name)
    for key, plain in both.plain.budgets.items():
        found = both.index.get("default", key)
        assert found is not None
        assert (sorted(found), found.healthy) == (sorted(plain), plain.healthy)
