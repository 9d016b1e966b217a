"""Columns and memories change nothing: a plain twin that tries everything decides the same.

The twin looks at each node and each type by itself, sorts as Go does after every pod, and counts
bound pods one by one.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kubestage.aliases import Json
from kubestage.controllers.karpenter import amounts, labels
from kubestage.controllers.karpenter.instance_types import min_values
from kubestage.controllers.karpenter.requirements import requirements
from kubestage.controllers.karpenter.scheduling import bound_pods, errors, tolerance, topology_rules
from kubestage.controllers.karpenter.scheduling.bound_pods import BoundPods
from kubestage.controllers.karpenter.scheduling.claim_order import ClaimOrder
from kubestage.controllers.karpenter.scheduling.existing_nodes import ExistingNodes
from kubestage.controllers.karpenter.scheduling.node_claims import NodeClaim
from kubestage.controllers.karpenter.scheduling.templates import Remaining, Template
from kubestage.golang import sort
from kubestage.objects import pod_resources
from kubestage.replay.karpenter import shown
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.clouds import instance_type
from tests.controllers.karpenter.scheduling.passes import (
    Pass,
    affinity,
    anti_affinity,
    expression,
    node,
    pod,
    required,
    spread,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from kubestage.controllers.karpenter.requirements import Requirements
    from kubestage.controllers.karpenter.scheduling.pod_shapes import PodShape
    from kubestage.controllers.karpenter.scheduling.queue import QueuedPod
    from kubestage.controllers.karpenter.scheduling.topology import Ownership, Topology
    from kubestage.controllers.karpenter.scheduling.topology_groups import Rule, TopologyGroup
    from kubestage.controllers.karpenter.state.state_node import StateNode

ZONES = ("zone-1", "zone-2", "zone-3")
PAID = ("on-demand", "spot")
TYPES = [
    instance_type(
        f"m.{cpu}",
        cpu,
        cpu * 0.05,
        capacity_types=("on-demand", "spot"),
        zones=ZONES[: 1 + cpu % 3],
    )
    for cpu in (2, 3, 4, 8, 16)
]


def _plain_place(
    self: ExistingNodes, queued: QueuedPod, shape: PodShape, owned: Ownership, topology: Topology
) -> bool:
    for row in range(len(self._positions)):
        found = self._node(row)
        free = amounts.subtracted(
            _free_before(self, row), amounts.merged(*(each.shape.amounts for each in found.pods))
        )
        if not amounts.fits(shape.amounts, free):
            continue
        if not found.requirements.is_compatible(shape.requirements):
            continue
        if not tolerance.tolerates(found.taints, shape.tolerations):
            continue
        narrowed = found.can_add(queued, shape, owned, topology)
        if narrowed is not None:
            found.add(queued, shape, owned, topology, narrowed)
            return True
    return False


def _free_before(self: ExistingNodes, row: int) -> amounts.Amounts:
    index = self._index
    cells = index.free[self._positions[row]].tolist()
    return dict(zip(index.resources, cells, strict=True))


def _plain_filter(
    self: Template,
    eligible: Any,
    wanted: Requirements,
    requests: Any,
    pod_requests: Any,
    open_groups: Sequence[int] | None,
    *,
    lower: bool,
    explain: bool,
) -> Any:
    del explain
    asked = dict(zip(self.catalogue.resources, requests.tolist(), strict=True))
    well_known = self.options.well_known
    rows = []
    for position, each in enumerate(self.catalogue.types):
        group = int(self.group_of_type[position])
        if not eligible[position] or (open_groups is not None and group not in open_groups):
            continue
        total = amounts.merged(asked, self.groups[group].amounts)
        meets = each.requirements.intersects(wanted)
        fits = offered = False
        for room in each.groups:
            for offering in room.offerings:
                if wanted.is_compatible(offering.requirements, well_known):
                    offered = True
                    fits = fits or amounts.fits(total, room.allocatable)
        rows.append((position, meets, fits, offered))
    left = [position for position, meets, fits, offered in rows if meets and fits and offered]
    checked = min_values.check([self.catalogue.types[each] for each in left], wanted)
    if checked.lacking and not lower:
        left = []
    if left:
        mask = np.zeros(len(self.catalogue.types), dtype=np.bool_)
        mask[left] = True
        return Remaining(mask, checked.lacking)
    examined = range(len(self.groups)) if open_groups is None else open_groups
    return errors.InstanceTypeFilter(
        wanted,
        pod_requests,
        [self.groups[each].requests for each in examined if self.groups[each].requests],
        (any(row[1] for row in rows), any(row[2] for row in rows), any(row[3] for row in rows)),
        (
            any(row[1] and row[2] and not row[3] for row in rows),
            any(row[2] and row[3] and not row[1] for row in rows),
            any(row[1] and row[3] and not row[2] for row in rows),
        ),
        "" if lower else checked.error,
    )


def _plain_count(
    self: BoundPods,
    group: TopologyGroup,
    key: int,
    excluded: Iterable[Json],
    missing: Collection[StateNode],
) -> None:
    del key
    rule, cluster = group.rule, self._cluster
    for state in cluster.nodes():
        if state.node is None or any(state is each for each in missing):
            continue
        if rule.key in state.labels and _counts(rule, state.node):
            group.register(state.labels[rule.key])
    selector = topology_rules.counted_selector(rule.raw_selector)
    left_out = {each["metadata"]["uid"] for each in excluded}
    for each in cluster.objects.all("Pod"):
        metadata = each["metadata"]
        if not bound_pods.counts_anywhere(each) or metadata["uid"] in left_out:
            continue
        if metadata["namespace"] not in rule.namespaces:
            continue
        found = cluster.objects.get("Node", each["spec"]["nodeName"])
        if found is None or not selector.matches(metadata["labels"]):
            continue
        domain = found["metadata"]["labels"].get(rule.key)
        if domain is not None and _counts(rule, found):
            group.record(domain)


def _counts(rule: Rule, found: Json) -> bool:
    taints = tolerance.taints_of(found["spec"].get("taints"))
    return rule.node_filter.matches(taints, requirements.of_labels(found["metadata"]["labels"]))


def _plain_restore(self: ClaimOrder) -> None:
    order = sort.in_order(
        range(len(self.claims)), lambda i, j: len(self.claims[i].pods) < len(self.claims[j].pods)
    )
    self.claims = [self.claims[position] for position in order]


def _use_twin(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ExistingNodes, "place", _plain_place)
    patch.setattr(NodeClaim, "is_closed_to", lambda *_: False)
    patch.setattr(Template, "filter_types", _plain_filter)
    patch.setattr(BoundPods, "count", _plain_count)
    patch.setattr(ClaimOrder, "restore", _plain_restore)
    patch.setattr(ClaimOrder, "gained", lambda *_: None)


def _spec(draw: random.Random, app: str) -> Json:
    """A few constraints by chance."""
    spec: Json = {}
    chance = draw.random
    if chance() < 0.2:
        spec["nodeSelector"] = {labels.ZONE: draw.choice(ZONES)}
    if chance() < 0.2:
        operator = draw.choice(["In", "NotIn", "Exists", "DoesNotExist"])
        values = ["x"] if operator in ("In", "NotIn") else []
        terms = [expression("team", operator, *values), expression("team", "DoesNotExist")]
        spec["affinity"] = required(*terms[: draw.randint(1, 2)])
    if chance() < 0.4:
        keys = (labels.ZONE, labels.HOSTNAME, labels.CAPACITY_TYPE)
        spec["topologySpreadConstraints"] = [
            spread(
                draw.choice(keys),
                app,
                whenUnsatisfiable=draw.choice(["DoNotSchedule", "ScheduleAnyway"]),
                maxSkew=draw.randint(1, 2),
            )
            for _ in range(draw.randint(1, 2))
        ]
    if chance() < 0.25:
        kind = draw.choice([affinity, anti_affinity])
        key = draw.choice([labels.ZONE, labels.HOSTNAME])
        spec["affinity"] = {**spec.get("affinity", {}), **kind(key, draw.choice(["a", "b", app]))}
    if chance() < 0.2:
        spec["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
    return spec


def _cluster(seed: int) -> list[Json]:
    draw = random.Random(seed)
    given: list[Json] = []
    for number in range(draw.randint(0, 5)):
        name = f"node-{number}"
        claim, made = node(name, draw.choice(ZONES), cpu=draw.choice(["600m", "2", "4", "8"]))
        if draw.random() < 0.2:
            claim["metadata"]["deletionTimestamp"] = objects.CREATED
        given += [claim, made]
        for position in range(draw.randint(0, 2)):
            own = {"app": draw.choice("abc")}
            bound = objects.pod(f"bound-{number}-{position}", name, cpu="500m", labels=own)
            bound["spec"].update(_spec(draw, own["app"]))
            given.append(bound)
    for shape in range(draw.randint(1, 6)):
        app = draw.choice("abc")
        spec, cpu = _spec(draw, app), draw.choice(["100m", "700m", "1", "3"])
        ports = [{"containerPort": 1, "hostPort": 80}] if draw.random() < 0.1 else []
        for number in range(draw.randint(1, 9)):
            waiting = pod(f"p{shape}-{number}", cpu, {"app": app}, **spec)
            waiting["spec"]["containers"][0]["ports"] = ports
            given.append(waiting)
    for number in range(draw.randint(1, 3)):
        given.append(_node_pool(draw, f"pool-{number}"))
    if draw.random() < 0.5:
        given.append(_daemon_set(draw))
    return given


def _node_pool(draw: random.Random, name: str) -> Json:
    stated = [
        expression(labels.CAPACITY_TYPE, "In", *draw.choice([["spot"], ["spot", "on-demand"]]))
    ]
    if draw.random() < 0.3:
        stated.append({**expression(labels.INSTANCE_TYPE, "Exists"), "minValues": 2})
    template: Json = {"requirements": stated}
    if draw.random() < 0.3:
        effect = draw.choice(["NoSchedule", "PreferNoSchedule"])
        template["taints"] = [{"key": "dedicated", "effect": effect}]
    limits = {"limits": {"cpu": str(draw.choice([4, 20, 60]))}} if draw.random() < 0.4 else {}
    return objects.node_pool(name, template, weight=draw.choice([1, 1, 9]), **limits)


def _daemon_set(draw: random.Random) -> Json:
    wants = {"requests": {"cpu": draw.choice(["100m", "1"])}}
    spec = {"containers": [{"name": "c", "resources": wants}]}
    if draw.random() < 0.5:
        terms = (
            expression(labels.INSTANCE_TYPE, "In", "m.8", "m.16"),
            expression(labels.INSTANCE_TYPE, "In", "m.2"),
        )
        spec["affinity"] = required(*terms[: draw.randint(1, 2)])  # type: ignore[assignment]
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "d", "namespace": "default", "uid": "uid-d"},
        "spec": {"template": {"metadata": {}, "spec": spec}},
    }


def _decide(given: list[Json], **options: Any) -> Json:
    return shown.results(Pass(given, types=TYPES, **options).results, labels.WELL_KNOWN)


@pytest.mark.parametrize("seed", range(150))
def test_the_plain_twin_decides_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given = _cluster(seed)
    policies = {
        "preference_policy": ("Respect", "Ignore")[seed % 5 == 0],
        "min_values_policy": ("Strict", "BestEffort")[seed % 3 == 0],
    }
    fast = _decide(given, **policies)
    _use_twin(monkeypatch)
    assert fast == _decide(given, **policies)


def test_a_pod_that_asks_for_nothing_fits() -> None:
    bare = pod("p", containers=[{"name": "c"}])
    assert pod_resources.requests(bare) == {}
    assert Pass([*node("node-a"), bare]).existing == {"node-a": ["p"]}
