"""What holds in every rollout, whatever happens in whatever order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubestage.controllers import pods
from kubestage.controllers.deployment import fenceposts
from tests.controllers.deployment.rollouts import deployment, roll_to, scale_to, started
from tests.controllers.fleet import DEPLOYMENT, POD, REPLICA_SET, Fleet

if TYPE_CHECKING:
    from kubestage.aliases import Json

_amounts = st.integers(0, 4) | st.sampled_from(["10%", "25%", "50%", "100%"])
_fences = st.tuples(_amounts, _amounts).filter(lambda both: both != (0, 0))
_unhurried = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class _Bounds:
    """Checks after every change that there are neither too many pods nor too few."""

    def __init__(self, fleet: Fleet) -> None:
        spec = fleet.get(DEPLOYMENT, "web")["spec"]
        self._most = spec["replicas"] + fenceposts.max_surge(spec)
        self._least = spec["replicas"] - fenceposts.max_unavailable(spec)
        self._fleet = fleet
        self.broken: list[str] = []
        fleet.store.subscribe(self._check)

    def _check(self, change: Any) -> None:
        active = self._fleet.pods()
        available = sum(map(pods.is_ready, active))
        if len(active) > self._most or available < self._least:
            self.broken.append(f"{change}: {len(active)} pods, {available} available")


@_unhurried
@given(
    st.integers(1, 7),
    _fences,
    st.lists(st.sampled_from(["start first", "start last", "end", "roll"]), max_size=30),
)
def test_a_rolling_update_stays_within_its_bounds_at_every_change(
    replicas: int, fences: tuple[int | str, int | str], actions: list[str]
) -> None:
    fleet = started(deployment(replicas, *fences))
    bounds = _Bounds(fleet)
    versions = 1
    roll_to(fleet, "v2")
    for action in actions:
        waiting = [pod for pod in fleet.pods() if not pods.is_ready(pod)]
        if action == "roll" and versions < 4:
            versions += 1
            roll_to(fleet, f"w{versions}")
        elif action == "end":
            fleet.end_terminating()
        elif waiting:
            fleet.start(waiting[0 if action == "start first" else -1])
    fleet.start_all()
    assert bounds.broken == []
    assert fleet.sizes()[-1] == replicas
    assert sum(fleet.sizes()) == replicas


_events = st.lists(
    st.sampled_from(["start", "stop", "fail", "end", "roll", "up", "down", "pause", "resume"]),
    max_size=20,
)


def _happen(fleet: Fleet, event: str, number: int) -> None:
    active = fleet.pods()
    waiting = [pod for pod in active if not pods.is_ready(pod)]
    replicas = fleet.get(DEPLOYMENT, "web")["spec"]["replicas"]
    if event == "start" and waiting:
        fleet.start(waiting[number % len(waiting)])
    elif event == "stop" and active:
        fleet.start(active[number % len(active)], ready=False)
    elif event == "fail" and active:
        fleet.end(active[number % len(active)])
    elif event == "end":
        fleet.end_terminating()
    elif event == "roll":
        roll_to(fleet, f"v{number % 3}")
    elif event == "up":
        scale_to(fleet, replicas + 2)
    elif event == "down":
        scale_to(fleet, max(replicas - 2, 0))
    else:
        fleet.patch(DEPLOYMENT, "web", {"spec": {"paused": event == "pause"}})


@_unhurried
@given(st.integers(0, 4), _fences, _events, st.sampled_from(["RollingUpdate", "Recreate"]))
def test_once_the_loops_have_reacted_another_look_changes_nothing(
    replicas: int, fences: tuple[int | str, int | str], happenings: list[str], strategy: str
) -> None:
    made = deployment(replicas, *fences)
    if strategy == "Recreate":
        made["spec"]["strategy"] = {"type": "Recreate"}
    fleet = started(made)
    for number, event in enumerate(happenings):
        _happen(fleet, event, number)
        before = fleet.store.resource_version
        fleet.poke()
        assert fleet.store.resource_version == before


def _shown(fleet: Fleet) -> Json:
    """The state without times and without the names of pods."""
    found = fleet.get(DEPLOYMENT, "web")
    status = {key: value for key, value in found["status"].items() if key != "conditions"}
    conditions = {
        each["type"]: (each["status"], each["reason"]) for each in found["status"]["conditions"]
    }
    del status["observedGeneration"]
    sets = [(each["metadata"]["name"], each["spec"]["replicas"]) for each in fleet.replica_sets()]
    counts = [each["status"]["replicas"] for each in fleet.replica_sets()]
    return {
        "status": status,
        "conditions": conditions,
        "sets": [each for each in sets if each[1]],
        "counts": sum(counts),
        "pods": len(fleet.pods()),
    }


@_unhurried
@given(st.integers(1, 5), _fences, _events, _events)
def test_whatever_happened_before_the_same_wish_leads_to_the_same_end(
    replicas: int,
    fences: tuple[int | str, int | str],
    one: list[str],
    other: list[str],
) -> None:
    ends = []
    for happenings in (one, other):
        fleet = started(deployment(replicas, *fences))
        for number, event in enumerate(happenings):
            _happen(fleet, event, number)
        fleet.patch(DEPLOYMENT, "web", {"spec": {"paused": False, "replicas": replicas}})
        roll_to(fleet, "final")
        fleet.start_all()
        fleet.end_terminating()
        ends.append(_shown(fleet))
        before = fleet.runner.syncs
        fleet.stage.run("2h")
        assert fleet.runner.syncs <= before + 1
        owners = set(fleet.store.read(REPLICA_SET))
        assert all(
            f"default/{pod['metadata']['ownerReferences'][0]['name']}" in owners
            for pod in fleet.store.read(POD).values()
        )
    assert ends[0] == ends[1]
