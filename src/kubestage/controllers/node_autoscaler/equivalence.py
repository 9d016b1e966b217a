"""Pods that are all the same to scheduling, so that one of them answers for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.node_autoscaler import pod_state
from kubestage.controllers.ownership import controller_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.objects.views.pod import PodView


_MOST_OF_ONE_CONTROLLER: Final = 10
_PASSED_OVER: Final = frozenset(("nodeName", "hostname"))


class PodGroup(msgspec.Struct):
    """Equivalent pods, and which node groups would and would not take them."""

    pods: list[PodView]
    takers: list[str] = []
    refusals: dict[str, tuple[str, ...]] = {}

    @property
    def exemplar(self) -> PodView:
        """The pod that answers for all."""
        return self.pods[0]


def groups_of(pods: Iterable[PodView]) -> list[PodGroup]:
    """The pods by equivalence: those of one controller that have the same labels and spec."""
    found: list[PodGroup] = []
    of_controller: dict[str, list[PodGroup]] = {}
    for pod in pods:
        owner = controller_of(pod.raw)
        if owner is None or pod_state.is_daemon(pod):
            found.append(PodGroup([pod]))
            continue
        known = of_controller.setdefault(owner["uid"], [])
        group = next((each for each in known if are_alike(each.exemplar, pod)), None)
        if group is None:
            group = PodGroup([])
            found.append(group)
            if len(known) < _MOST_OF_ONE_CONTROLLER:
                known.append(group)
        group.pods.append(pod)
    return found


def runs_of(pods: Sequence[PodView]) -> Iterator[list[PodView]]:
    """The pods in order, those together that follow one another and are alike."""
    run: list[PodView] = []
    for pod in pods:
        if run and not are_one_template(run[0], pod):
            yield run
            run = []
        run.append(pod)
    if run:
        yield run


def are_alike(one: PodView, other: PodView) -> bool:
    """Whether pods differ in nothing that their scheduling follows from."""
    if (
        one.plan is not other.plan
        or one.priority != other.priority
        or one.scheduler_name != other.scheduler_name
        or one.labels != other.labels
    ):
        return False
    mine, theirs = one.raw["spec"], other.raw["spec"]
    return mine is theirs or _compared(mine) == _compared(theirs)


def are_one_template(one: PodView, other: PodView) -> bool:
    """Whether pods are alike and of one controller."""
    mine, theirs = controller_of(one.raw), controller_of(other.raw)
    if mine is None or theirs is None or mine["uid"] != theirs["uid"]:
        return False
    return are_alike(one, other)


def _compared(spec: Json) -> Json:
    """A spec without what may differ: its node, names, variables, and tokens of its own."""
    tokens = [each["name"] for each in spec.get("volumes") or () if "projected" in each]
    compared = {key: value for key, value in spec.items() if key not in _PASSED_OVER}
    compared["volumes"] = [each for each in spec.get("volumes") or () if "projected" not in each]
    for part in ("containers", "initContainers"):
        compared[part] = [_container(each, tokens) for each in spec.get(part) or ()]
    return compared


def _container(container: Json, tokens: Sequence[str]) -> Json:
    mounts = container.get("volumeMounts") or ()
    kept = [each for each in mounts if each["name"] not in tokens]
    return {**{key: container[key] for key in container if key != "env"}, "volumeMounts": kept}
