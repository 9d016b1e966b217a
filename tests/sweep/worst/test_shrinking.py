"""Shrinking keeps what was found, and leaves nothing that is not needed for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.sweep.rows import Row
from kubestage.sweep.worst import amounts, pod_specs
from kubestage.sweep.worst import case as cases
from kubestage.sweep.worst.evaluation import SCORE
from kubestage.sweep.worst.limits import Limits, Span
from kubestage.sweep.worst.mutations import failures
from kubestage.sweep.worst.scoring import Scorer
from kubestage.sweep.worst.shrinking import capacity, events, fields, sizes, times
from kubestage.sweep.worst.shrinking.shrinker import Shrinker
from kubestage.testing import make_deployment, make_node, make_pod
from tests.sweep.worst import inputs
from tests.sweep.worst.in_process import InProcessEngine

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable

    from kubestage.sweep.rows import Task
    from kubestage.sweep.worst.case import Case


LIMITS = Limits(
    groups=("sizes",),
    times=Span(0, 4),
    pods=Span(1, 4),
    replicas=Span(1, 4),
    patterns={},
    factors=(0.25, 4.0),
    sizes={},
    node_sizes={},
    failures=1,
    outages=(),
    failing=(),
    returns=True,
    classes=(),
    is_living=False,
    end=4,
)


class _Work:
    """Scores a case by a function instead of a run."""

    def __init__(self, score: Callable[[Case], float | None]) -> None:
        self._score = score
        self.seen: list[str] = []

    def __call__(self, task: Task) -> Row:
        case: Case = task.payload
        self.seen.append(case.key)
        return Row(task.index, case.key, {}, task.seed, {SCORE: self._score(case)})


def _shrunk(
    case: Case,
    score: Callable[[Case], float | None],
    budget: int = 1000,
    slots: int = 1,
    sizes_within: dict[str, Span] | None = None,
    fewest: int = 0,
) -> Shrinker:
    limits = msgspec.structs.replace(LIMITS, sizes=sizes_within or {}, pods=Span(fewest, 9))
    work = _Work(score)
    with InProcessEngine(slots).open(work) as pool:
        scorer = Scorer(pool, 0, lambda _: None)
        shrinker = Shrinker(case, limits, scorer, lambda found: found > 0, budget)
        shrinker.run(lambda: None)
    assert len(work.seen) == len(set(work.seen)), "no case is run twice"
    return shrinker


def _rich(folder: pathlib.Path) -> Case:
    found, _ = inputs.begin(folder, inputs.rich())
    return found.case


def _has(case: Case, *names: str) -> bool:
    there = {str(event.target) for event in case.events}
    return set(names) <= there


def test_only_what_is_needed_is_left(tmp_path: pathlib.Path) -> None:
    def score(case: Case) -> float:
        return float(_has(case, "pod/default/plain", "deployment/shop/web"))

    shrinker = _shrunk(_rich(tmp_path), score)
    assert shrinker.is_smallest
    targets = [str(event.target) for event in shrinker.case.events]
    assert sorted(targets) == ["deployment/shop/web", "node/node-3", "pod/default/plain"]
    assert {event.at for event in shrinker.case.events} == {0}
    web = next(each.object for each in shrinker.case.events if each.target.name == "web")
    assert pod_specs.replicas_of(web or {}) == 1


def test_it_does_not_depend_on_the_number_of_processes(tmp_path: pathlib.Path) -> None:
    def score(case: Case) -> float:
        return float(len(case.arrivals) >= 3)

    one, many = (_shrunk(_rich(tmp_path), score, slots=slots) for slots in (1, 4))
    assert one.case == many.case


def test_a_budget_ends_it(tmp_path: pathlib.Path) -> None:
    shrinker = _shrunk(_rich(tmp_path), lambda case: float(len(case.arrivals) > 2), budget=5)
    assert not shrinker.is_smallest
    assert shrinker.runs == 5


def test_a_case_that_cannot_be_run_is_never_taken(tmp_path: pathlib.Path) -> None:
    case = _rich(tmp_path)
    shrinker = _shrunk(case, lambda one: 1.0 if one.key == case.key else None)
    assert shrinker.case == case
    assert shrinker.is_smallest


def test_what_happens_to_an_object_goes_with_it(tmp_path: pathlib.Path) -> None:
    case = _rich(tmp_path)
    place = next(at for at, each in enumerate(case.events) if each.target.name == "web")
    fewer = case.without([place])
    assert not any(event.target.name == "web" for event in fewer.events), "nor its patch"
    assert len(fewer.events) == len(case.events) - 2


def test_every_single_event_is_left_out_once(tmp_path: pathlib.Path) -> None:
    case = _rich(tmp_path)
    assert len(case.events) > 12, "no pairs of so many"
    singles = {each.key for each in list(events.candidates(case))[-len(case.events) :]}
    assert singles == {case.without([at]).key for at in range(len(case.events))}


def test_two_events_that_need_each_other_go_together() -> None:
    pods = [make_pod(f"pod-{at}") for at in range(4)]
    case = cases.arranged(cases.CaseEvent(0, "Create", {"object": pod}) for pod in pods)

    def score(one: Case) -> float:
        names = {event.target.name for event in one.events}
        return float("pod-0" in names and ("pod-1" in names) == ("pod-3" in names))

    shrinker = _shrunk(case, score)
    assert [event.target.name for event in shrinker.case.events] == ["pod-0"]


def test_pods_keep_a_node_that_they_would_fit_on(tmp_path: pathlib.Path) -> None:
    found, _ = inputs.begin(
        tmp_path, make_node("large", cpu="8"), make_node("small", cpu="1"), make_pod("one", cpu="4")
    )
    assert capacity.has_room(found.case)
    shrinker = _shrunk(found.case, lambda case: float(bool(case.arrivals)))
    assert [str(each.target) for each in shrinker.case.events] == ["node/large", "pod/default/one"]


def test_as_many_pods_are_left_as_the_bounds_say(tmp_path: pathlib.Path) -> None:
    pods = [make_pod(f"pod-{at}", cpu="1") for at in range(6)]
    found, _ = inputs.begin(tmp_path, make_node("node-1", cpu="8"), *pods)
    shrinker = _shrunk(found.case, lambda _: 1.0, fewest=3)
    assert len(shrinker.case.arrivals) == 3


def test_sizes_become_round(tmp_path: pathlib.Path) -> None:
    found, _ = inputs.begin(
        tmp_path, make_node("node-1", cpu="7300m"), make_pod("one", cpu="1350m", memory="700Mi")
    )

    def score(case: Case) -> float:
        pods = [case.events[at].object or {} for at in case.arrivals]
        cpu = [amount for pod in pods for amount in amounts.requested(pod, "cpu")]
        return float(bool(cpu) and cpu[0] >= 1200)

    shrinker = _shrunk(found.case, score)
    (pod,) = [shrinker.case.events[at].object or {} for at in shrinker.case.arrivals]
    assert amounts.requested(pod, "cpu") == [2000]
    assert amounts.requested(pod, "memory") == []
    (node,) = [obj for _, obj in shrinker.case.nodes()]
    assert node["status"]["allocatable"]["cpu"] in ("7", "8")


def test_sizes_stay_within_limits(tmp_path: pathlib.Path) -> None:
    found, _ = inputs.begin(tmp_path, make_node("node-1", cpu="8"), make_pod("one", cpu="1350m"))

    def score(case: Case) -> float:
        pods = [case.events[at].object or {} for at in case.arrivals]
        return float(
            sum(amount for pod in pods for amount in amounts.requested(pod, "cpu")) >= 1200
        )

    shrinker = _shrunk(found.case, score, sizes_within={"cpu": Span(100, 1600)})
    (pod,) = [shrinker.case.events[at].object or {} for at in shrinker.case.arrivals]
    assert amounts.requested(pod, "cpu") == [1500]


def test_two_pods_become_one_that_is_as_large(tmp_path: pathlib.Path) -> None:
    pods = [make_pod(f"pod-{at}", cpu="1") for at in range(3)]
    found, _ = inputs.begin(tmp_path, make_node("node-1", cpu="8"), *pods)

    def score(case: Case) -> float:
        found = [case.events[at].object or {} for at in case.arrivals]
        return float(
            sum(amount for pod in found for amount in amounts.requested(pod, "cpu")) >= 3000
        )

    shrinker = _shrunk(found.case, score, sizes_within={"cpu": Span(100, 2000)})
    left = [shrinker.case.events[at].object or {} for at in shrinker.case.arrivals]
    assert sorted(amounts.requested(pod, "cpu")[0] for pod in left) == [1000, 2000]


def test_sizes_of_nodes_and_pods_are_candidates(tmp_path: pathlib.Path) -> None:
    found, _ = inputs.begin(tmp_path, make_node("node-1", cpu="7300m"), make_pod("one", cpu="700m"))
    assert len(list(sizes.candidates(found.case))) > 4


def test_times_become_simple() -> None:
    pods = [make_pod(f"pod-{at}") for at in range(3)]
    moments = (0, 127, 415)
    case = cases.arranged(
        cases.CaseEvent(at, "Create", {"object": pod})
        for at, pod in zip(moments, pods, strict=True)
    )

    def score(one: Case) -> float:
        times_of = [event.at for event in one.events]
        return float(len(times_of) == 3 and times_of[2] - times_of[1] >= 200 and times_of[1] >= 60)

    shrinker = _shrunk(case, score)
    assert [event.at for event in shrinker.case.events] == [0, 120, 360]
    assert next(times.candidates(cases.arranged(())), None) is None


def test_a_node_that_fails_does_so_at_a_round_time() -> None:
    notes = {failures.FAILS_AFTER: "131s", failures.RECOVERS_AFTER: "77s"}
    node = make_node("node-1", annotations=notes)
    case = cases.arranged([cases.CaseEvent(0, "Create", {"object": node})])

    def score(one: Case) -> float:
        kept = [obj["metadata"].get("annotations") or {} for _, obj in one.nodes()]
        return float(bool(kept) and failures.FAILS_AFTER in kept[0])

    shrinker = _shrunk(case, score)
    ((_, left),) = shrinker.case.nodes()
    assert left["metadata"]["annotations"] == {failures.FAILS_AFTER: "120s"}


def test_fields_that_say_nothing_go(tmp_path: pathlib.Path) -> None:
    pod = make_pod(
        "one", cpu="1", limits={"cpu": "2"}, labels={"app": "x"}, node_selector={"a": "b"}
    )
    found, _ = inputs.begin(tmp_path, make_node("node-1"), pod, make_deployment("web", cpu="1"))
    kinds = {each.key for each in fields.candidates(found.case)}
    assert len(kinds) == 4
    shrinker = _shrunk(found.case, lambda case: float(_has(case, "pod/default/one")))
    (left,) = [shrinker.case.events[at].object or {} for at in shrinker.case.arrivals]
    assert "labels" not in left["metadata"]
    assert "nodeSelector" not in left["spec"]
    assert left["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "1"}}
