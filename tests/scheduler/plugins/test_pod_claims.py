"""VolumeBinding before any node is looked at: are the claims fit to be met?"""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.volume_binding import VolumeBinding
from kubestage.scheduler.status import SKIP, SUCCESS, unresolvable
from tests.scheduler.plugins import clusters, storages

EPHEMERAL = {"name": "mine", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}


def asked(objects: Any, pod: Any = None) -> Any:
    plugin = VolumeBinding({}, clusters.handle(objects))
    over = clusters.columns([clusters.node("n")])
    answer = plugin.pre_filter(CycleState(), pod or storages.using("p", "c"), over)
    assert answer[1] is None
    return answer[0]


@pytest.mark.parametrize(
    ("objects", "answer"),
    [
        ([], unresolvable('persistentvolumeclaim "c" not found')),
        ([storages.claim("c")], "immediate"),
        ([storages.claim("c", class_name=None)], "immediate"),
        ([storages.claim("c"), storages.storage_class("waiting", waits=False)], "immediate"),
        ([storages.claim("c", volumeName="v"), storages.storage_class("waiting")], "immediate"),
        ([storages.claim("c"), storages.storage_class("waiting")], SUCCESS),
        ([storages.bound_claim("c", "v")], SUCCESS),
        (
            [storages.claim("c", phase="Lost", volumeName="v")],
            unresolvable('persistentvolumeclaim "c" bound to non-existent persistentvolume "v"'),
        ),
        (
            [storages.claim("c", deleted=True)],
            unresolvable('persistentvolumeclaim "c" is being deleted'),
        ),
    ],
)
def test_claims_are_looked_at_before_any_node(objects: Any, answer: Any) -> None:
    if answer == "immediate":
        answer = unresolvable("pod has unbound immediate PersistentVolumeClaims")
    assert asked(objects) == answer


def test_pods_without_claims_are_skipped() -> None:
    assert asked([], clusters.pod()) == SKIP
    assert asked([], storages.using("p", more=[{"name": "v", "emptyDir": {}}])) == SKIP


def test_an_ephemeral_claim_is_waited_for_and_must_be_the_pods_own() -> None:
    pod = storages.using("p", more=[EPHEMERAL])
    waiting = 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-mine"'
    foreign = "PVC default/p-mine was not created for pod default/p (pod is not owner)"
    assert asked([], pod) == unresolvable(waiting)
    assert asked([storages.claim("p-mine", owner="q")], pod) == unresolvable(foreign)
    objects = [storages.claim("p-mine", owner="p"), storages.storage_class("waiting")]
    assert asked(objects, pod) == SUCCESS
