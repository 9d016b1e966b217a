"""Random clusters as manifests, with a pod that may find no room, and edits of these manifests."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from kubestage import ApiError, Stage
from kubestage.objects import gvk, patches
from kubestage.testing import (
    make_node,
    make_pod,
    make_pod_disruption_budget,
    make_priority_class,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_ZONE = "topology.kubernetes.io/zone"
_HOST = "kubernetes.io/hostname"
_GPU = "example.com/gpu"
_APP = st.sampled_from(["web", "db", "job"])
_CLASSES = [
    make_priority_class("low", 10),
    make_priority_class("polite", 50, preemption_policy="Never"),
    make_priority_class("high", 100),
]
_PORTS: Any = st.sampled_from([[], [], [8080]])


class Manifests(NamedTuple):
    """A cluster and a pod, as files have them."""

    objects: list[Json]
    pod: Json

    def edited(self, patch: Json) -> Manifests:
        """The same after a change as an advice describes it, made by hand."""
        gone = {(each["kind"], each["name"]) for each in patch.get("remove", ())}
        objects = [
            copy.deepcopy(each)
            for each in self.objects
            if (each["kind"], each["metadata"]["name"]) not in gone
        ]
        for change in patch.get("change", ()):
            # What a status says is the work of controllers.
            part = {name: value for name, value in change["patch"].items() if name != "status"}
            (place,) = [
                place
                for place, each in enumerate(objects)
                if (each["kind"], each["metadata"]["name"]) == (change["kind"], change["name"])
            ]
            objects[place] = patches.apply(patches.PatchType.MERGE, objects[place], part)
        objects += copy.deepcopy(patch.get("add", []))
        pod = patches.apply(patches.PatchType.MERGE, copy.deepcopy(self.pod), patch.get("pod", {}))
        return Manifests(objects, pod)

    def run(self) -> Stage:
        """A new stage with these manifests, after a quarter of an hour."""
        stage = Stage()
        stage.add_scheduler()
        stage.add_controllers()
        for pods in (False, True):
            stage.apply(copy.deepcopy([each for each in self.objects if _is_pod(each) is pods]))
            stage.run("10s")
        try:
            stage.apply([copy.deepcopy(self.pod)])
        except ApiError:
            return stage
        stage.run("15m")
        return stage

    def lost(self, stage: Stage) -> int:
        """How many of the other pods a stage has no more: they were preempted."""
        there = stage.store.read(gvk.POD)
        names = [each["metadata"]["name"] for each in self.objects if _is_pod(each)]
        return sum(f"default/{name}" not in there for name in names)


def _is_pod(obj: Json) -> bool:
    return bool(obj["kind"] == "Pod")


def node_of(stage: Stage) -> str:
    """The node of the pod, if it has one."""
    pod: Json = stage.store.read(gvk.POD).get("default/web") or {"spec": {}}
    return str(pod["spec"].get("nodeName", ""))


@st.composite
def _node(draw: st.DrawFn, index: int) -> Json:
    taints: Any = draw(
        st.sampled_from(
            [[], [], ["dedicated=db:NoSchedule"], ["dedicated=db:NoSchedule", "gpu:NoSchedule"]]
        )
    )
    node: Json = make_node(
        f"n{index}",
        cpu=draw(st.sampled_from(["1", "2750m", "4"])),
        memory=draw(st.sampled_from(["1Gi", "9Gi"])),
        zone=draw(st.sampled_from(["z1", "z2"])),
        labels={"disk": draw(st.sampled_from(["ssd", "hdd"]))},
        taints=taints,
        resources=draw(st.sampled_from([{}, {_GPU: "2"}])),
        pods=draw(st.sampled_from([110, 110, 110, 2])),
    )
    if draw(st.integers(0, 6)) == 0:
        node["spec"] = {**node.get("spec", {}), "unschedulable": True}
    return node


@st.composite
def _running(draw: st.DrawFn, nodes: int) -> list[Json]:
    """Pods that a kubelet takes: they are small, and no two of a node have the same port."""
    found, ports = [], set()
    counts = [0] * nodes
    for index in range(draw(st.integers(0, 6))):
        node = draw(st.integers(0, nodes - 1))
        counts[node] += 1
        if counts[node] > 2:
            continue
        asked = [] if node in ports else draw(_PORTS)
        ports |= {node} if asked else set()
        apart = {"podAntiAffinity": {REQUIRED: [draw(_terms())]}}
        found.append(
            make_pod(
                f"p{index}",
                cpu=draw(st.sampled_from(["50m", "350m", "500m"])),
                memory=draw(st.sampled_from(["100Mi", "500Mi"])),
                labels={"app": draw(_APP)},
                node_name=f"n{node}",
                priority_class_name=draw(st.sampled_from([None, None, "low", "high"])),
                host_ports=asked,
                affinity=draw(st.sampled_from([None, None, None, apart])),
            )
        )
    return found


@st.composite
def _terms(draw: st.DrawFn) -> Json:
    key = draw(st.sampled_from([_ZONE, _HOST]))
    return {"labelSelector": {"matchLabels": {"app": draw(_APP)}}, "topologyKey": key}


@st.composite
def _volumes(draw: st.DrawFn) -> list[Json]:
    """A claim, bound to a volume of a zone or not at all; without it the pod has none."""
    mode = draw(st.sampled_from(["ReadWriteOnce", "ReadWriteOncePod"]))
    claim: Json = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "default"},
        "spec": {
            "accessModes": [mode],
            "storageClassName": "",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    rule = {"key": _ZONE, "operator": "In", "values": [draw(st.sampled_from(["z1", "z3"]))]}
    volume: Json = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "pv-1"},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": [mode],
            "hostPath": {"path": "/x"},
            "storageClassName": "",
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": "default", "name": "data"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [rule]}]}},
        },
    }
    return draw(st.sampled_from([[], [claim], [claim, volume], [claim, volume]]))


@st.composite
def _pod(draw: st.DrawFn) -> Json:
    affinity: Json = {}
    field = draw(st.sampled_from(["podAffinity", "podAntiAffinity", "", ""]))
    if field:
        affinity[field] = {REQUIRED: [draw(_terms())]}
    if draw(st.integers(0, 4)) == 0:
        rules = [
            {"key": "disk", "operator": "In", "values": [draw(st.sampled_from(["ssd", "nvme"]))]},
            {"key": _ZONE, "operator": "In", "values": [draw(st.sampled_from(["z1", "z3"]))]},
        ]
        affinity["nodeAffinity"] = {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": rules}]}}
    spread = {
        "maxSkew": 1,
        "topologyKey": _ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    devices = draw(st.sampled_from([{}, {}, {}, {_GPU: "3"}]))
    selectors = [{}, {}, {"disk": "ssd"}, {"disk": "nvme", "x": "y"}]
    pod: Json = make_pod(
        "web",
        cpu=draw(st.sampled_from(["100m", "1", "1500m", "6"])),
        memory=draw(st.sampled_from(["100Mi", "1Gi", "3Gi"])),
        labels={"app": draw(_APP)},
        node_selector=draw(st.sampled_from(selectors)),
        affinity=affinity or None,
        topology_spread_constraints=draw(st.sampled_from([[], [], [spread]])),
        host_ports=draw(_PORTS),
        priority_class_name=draw(st.sampled_from([None, None, "low", "polite"])),
        requests=devices,
        limits=devices,
    )
    if draw(st.integers(0, 8)) == 0:
        pod["spec"]["schedulingGates"] = [{"name": "example.com/approval"}]
    return pod


@st.composite
def manifests(draw: st.DrawFn) -> Manifests:
    """A cluster of up to three nodes, with what may keep a pod from them."""
    count = draw(st.integers(1, 3))
    objects = [*_CLASSES, *(draw(_node(index)) for index in range(count)), *draw(_running(count))]
    pod = draw(_pod())
    if draw(st.integers(0, 2)) == 0:
        least = draw(st.integers(0, 2))
        objects.append(make_pod_disruption_budget(draw(_APP), min_available=least))
    if draw(st.integers(0, 3)) == 0:
        hard = {"requests.cpu": draw(st.sampled_from(["3", "6"])), "pods": "6"}
        metadata = {"name": "team", "namespace": "default"}
        objects.append({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata,
                        "spec": {"hard": hard}})  # fmt: skip
    if draw(st.integers(0, 3)) == 0:
        objects += draw(_volumes())
        claim = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
        pod["spec"]["volumes"] = [claim]
    return Manifests(objects, pod)
