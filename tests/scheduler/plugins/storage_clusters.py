"""Clusters with volumes, claims and classes of all sorts, some of them out of order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests.scheduler.plugins import clusters
from tests.scheduler.plugins.storages import (
    BOUND,
    HOST,
    OLD_ZONE,
    REGION,
    SELECTED,
    ZONE,
    attachment,
    bound_claim,
    capacity,
    claim,
    csi_driver,
    csi_node,
    reference,
    storage_class,
    using,
    volume,
    with_limit,
    within,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView


_zone_labels = st.fixed_dictionaries(
    {},
    optional={
        ZONE: st.sampled_from(["a", "b", "a__b", "b__", "c"]),
        OLD_ZONE: st.sampled_from(["a", "b__c"]),
        REGION: st.sampled_from(["east", "west"]),
        "grade": st.sampled_from(["fast", "slow"]),
    },
)
node_labels = st.fixed_dictionaries(
    {},
    optional={
        ZONE: st.sampled_from(["a", "b"]),
        OLD_ZONE: st.sampled_from(["a", "b"]),
        REGION: st.sampled_from(["east", "west"]),
        HOST: st.sampled_from(["node-0", "node-1"]),
    },
)
_sizes = st.sampled_from(["1Gi", "5Gi", "10Gi", "20Gi"])
_classes = ("waiting", "static", "zonal", "at-once", "ebs", "files")
_modes = st.sampled_from([["ReadWriteOnce"], ["ReadWriteOnce", "ReadWriteMany"]])
_claim_names = ("c0", "c1", "c2", "c3")
_volume_names = ("v0", "v1", "v2", "v3", "v4")


@st.composite
def nodes(draw: st.DrawFn) -> list[Json]:
    """One to four nodes, some without the labels that others have."""
    count = draw(st.integers(1, 4))
    return [clusters.node(f"node-{number}", labels=draw(node_labels)) for number in range(count)]


@st.composite
def volumes(draw: st.DrawFn, name: str) -> Json:
    """A volume that may be spoken for, out of reach, or on its way out."""
    parts: Json = {
        "labels": draw(_zone_labels),
        "accessModes": draw(_modes),
        "volumeMode": draw(st.sampled_from(["Filesystem", "Filesystem", "Block"])),
        "phase": draw(st.sampled_from(["Available", "Available", "Bound"])),
        "deleted": draw(st.integers(0, 9)) == 0,
    }
    if draw(st.booleans()):
        near = within(draw(st.sampled_from([ZONE, HOST])), draw(st.sampled_from(["a", "node-0"])))
        parts["terms"] = [*draw(st.lists(clusters.terms, max_size=1)), near]
    if draw(st.integers(0, 3)) == 0:
        called = draw(st.sampled_from(_claim_names))
        uid = draw(st.sampled_from([None, f"uid-{called}", "another"]))
        parts["claimRef"] = reference(called, uid)
    if draw(st.integers(0, 4)) == 0:
        parts["volumeAttributesClassName"] = "gold"
    if draw(st.integers(0, 4)) == 0:
        parts["awsElasticBlockStore"] = {"volumeID": draw(st.sampled_from(["vol-1", "vol-2"]))}
    return volume(name, draw(st.sampled_from(_classes)), draw(_sizes), **parts)


@st.composite
def claims(draw: st.DrawFn, name: str) -> Json:
    """A claim: bound, waiting, lost or malformed."""
    parts: Json = {
        "accessModes": draw(st.sampled_from([["ReadWriteOnce"], ["ReadWriteOncePod"]])),
        "volumeMode": draw(st.sampled_from(["Filesystem", "Filesystem", "Block"])),
    }
    if draw(st.integers(0, 9)) == 0:
        parts |= draw(st.sampled_from([{"deleted": True}, {"phase": "Lost"}]))
    if draw(st.integers(0, 3)) == 0:
        parts["selector"] = {"matchLabels": {"grade": "fast"}}
    if draw(st.integers(0, 4)) == 0:
        parts["volumeAttributesClassName"] = "gold"
    if draw(st.integers(0, 3)) == 0:
        parts["annotations"] = {SELECTED: draw(st.sampled_from(["node-0", "node-1"]))}
    class_name = draw(st.sampled_from([*_classes, "waiting", "zonal", "missing", None]))
    if draw(st.booleans()):
        parts["volumeName"] = draw(st.sampled_from([*_volume_names, "missing"]))
        if draw(st.integers(0, 4)):
            parts |= {"annotations": BOUND, "phase": "Bound"}
    if draw(st.booleans()):
        parts["owner"] = draw(st.sampled_from(["incoming", "other"]))
    return claim(name, class_name, draw(_sizes), **parts)


@st.composite
def objects(draw: st.DrawFn) -> list[Json]:
    """All that a cluster has to do with storage."""
    topologies = [{"matchLabelExpressions": [{"key": ZONE, "values": ["a"]}]}]
    found = [
        storage_class("waiting"),
        storage_class("static", "kubernetes.io/no-provisioner"),
        storage_class("zonal", "other.example.com", allowedTopologies=topologies),
        storage_class("at-once", waits=False),
        storage_class("ebs", "kubernetes.io/aws-ebs"),
        storage_class("files", "kubernetes.io/azure-file"),
        csi_driver(capacity=draw(st.booleans())),
    ]
    for number in range(draw(st.integers(0, 2))):
        selector = {"matchLabels": {ZONE: draw(st.sampled_from(["a", "b"]))}}
        parts: Json = {"nodeTopology": draw(st.sampled_from([selector, {}]))}
        for key in draw(st.sets(st.sampled_from(["capacity", "maximumVolumeSize"]))):
            parts[key] = draw(_sizes)
        found.append(capacity(f"pool-{number}", **parts))
    found += [draw(volumes(name)) for name in _volume_names[: draw(st.integers(0, 5))]]
    found += [draw(claims(name)) for name in (*_claim_names, "incoming-mine", "other-mine")]
    for number in range(draw(st.integers(0, 3))):
        disk, other = draw(st.sampled_from([None, 1, 2])), draw(st.integers(1, 2))
        drivers = csi_node(f"node-{number}", disk=disk, other=other)
        found.append(with_limit(drivers, "ebs.csi.aws.com", draw(st.integers(1, 2))))
    for number in range(draw(st.integers(0, 2))):
        node = draw(st.sampled_from(["node-0", "node-1"]))
        name = draw(st.sampled_from([*_volume_names, "missing", None]))
        found.append(attachment(f"a{number}", node, name))
    return found


@st.composite
def orderly_objects(draw: st.DrawFn) -> list[Json]:
    """Claims that can all be met somewhere, and few enough volumes to contend for."""
    topologies = [{"matchLabelExpressions": [{"key": ZONE, "values": ["a"]}]}]
    found = [
        storage_class("waiting"),
        storage_class("static", "kubernetes.io/no-provisioner"),
        storage_class("zonal", allowedTopologies=topologies),
        csi_driver(),
    ]
    classes = st.sampled_from(["waiting", "static", "zonal"])
    for number, class_name in enumerate(draw(st.lists(classes, max_size=3))):
        reached = draw(st.sampled_from([{}, {"matchLabels": {ZONE: "a"}}]))
        pool = capacity(f"pool-{number}", class_name, capacity=draw(_sizes), nodeTopology=reached)
        found.append(pool)
    for name in _volume_names:
        parts: Json = {}
        if draw(st.booleans()):
            key = draw(st.sampled_from([ZONE, HOST]))
            parts["terms"] = [within(key, draw(st.sampled_from(["a", "b", "node-0"])))]
        if draw(st.integers(0, 4)) == 0:
            parts["claimRef"] = reference(draw(st.sampled_from(_claim_names)))
        found.append(volume(name, draw(classes), draw(_sizes), **parts))
    for name in _claim_names:
        annotations = {SELECTED: "node-0"} if draw(st.integers(0, 5)) == 0 else {}
        if draw(st.integers(0, 2)) == 0:
            found.append(bound_claim(name, draw(st.sampled_from([*_volume_names, "gone"]))))
        else:
            found.append(claim(name, draw(classes), draw(_sizes), annotations=annotations))
    return found


_inline: st.SearchStrategy[Json] = st.sampled_from(
    [
        {"emptyDir": {}},
        {"ephemeral": {"volumeClaimTemplate": {"spec": {}}}},
        {"awsElasticBlockStore": {"volumeID": "vol-1"}},
        {"awsElasticBlockStore": {"volumeID": "vol-2"}},
        {"gcePersistentDisk": {"pdName": "d", "readOnly": True}},
        {"gcePersistentDisk": {"pdName": "d"}},
        {"azureFile": {"secretName": "s", "shareName": "s"}},
        {"iscsi": {"iqn": "i", "targetPortal": "t", "lun": 0, "readOnly": True}},
        {"iscsi": {"iqn": "i", "targetPortal": "t", "lun": 0}},
        {"rbd": {"monitors": ["m1", "m2"], "image": "i", "pool": "p"}},
        {"rbd": {"monitors": ["m2", "m3"], "image": "i", "pool": "p", "readOnly": True}},
        {"rbd": {"monitors": ["m3"], "image": "i", "pool": "q"}},
    ]
)


@st.composite
def pods(draw: st.DrawFn, name: str = "incoming") -> PodView:
    """A pod with a few volumes; its ephemeral one is called ``mine``."""
    mounted = draw(st.lists(st.sampled_from(_claim_names), max_size=3))
    if draw(st.integers(0, 9)) == 0:
        mounted.append("missing")
    more = [
        {"name": "mine" if "ephemeral" in each else f"m{number}", **each}
        for number, each in enumerate(draw(st.lists(_inline, max_size=2)))
    ]
    return using(name, *mounted, more=more)
