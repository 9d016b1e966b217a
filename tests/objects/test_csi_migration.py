from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import csi_migration
from tests.scheduler.plugins import storages
from tests.scheduler.plugins.storages import OLD_ZONE, REGION, ZONE

OLD_REGION = "failure-domain.beta.kubernetes.io/region"
EBS_ZONE = "topology.ebs.csi.aws.com/zone"
EBS_PROBLEM = "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume"
ZONE_PROBLEM = "failed to get region from zones: zone in unexpected format"
REGION_PROBLEM = "failed to get region from zones: multiple or no regions gotten from zones"


def old_volume(source: str, told: Any, **parts: Any) -> Any:
    made = storages.volume("v", **parts)
    spec = {key: value for key, value in made["spec"].items() if key != "csi"}
    return {**made, "spec": {**spec, source: told}}


def handle(volume: Any) -> tuple[str, str]:
    plugin = csi_migration.plugin_of(volume["spec"])
    assert plugin is not None
    return plugin.driver, csi_migration.volume_handle(plugin, volume)


@pytest.mark.parametrize(
    ("source", "told", "labels", "expected"),
    [
        ("awsElasticBlockStore", {"volumeID": "vol-1"}, {}, ("ebs.csi.aws.com", "vol-1")),
        ("awsElasticBlockStore", {"volumeID": "any"}, {}, ("ebs.csi.aws.com", "any")),
        ("awsElasticBlockStore", {"volumeID": "aws://z/vol-1"}, {}, ("ebs.csi.aws.com", "vol-1")),
        ("awsElasticBlockStore", {"volumeID": "aws:///vol-1"}, {}, ("ebs.csi.aws.com", "vol-1")),
        ("cinder", {"volumeID": "x"}, {}, ("cinder.csi.openstack.org", "x")),
        ("portworxVolume", {"volumeID": "x"}, {}, ("pxd.portworx.com", "x")),
        ("azureDisk", {"diskURI": "u"}, {}, ("disk.csi.azure.com", "u")),
        ("azureDisk", {"diskURI": "u", "kind": "Managed"}, {}, ("disk.csi.azure.com", "u")),
        (
            "gcePersistentDisk", {"pdName": "d"}, {},
            ("pd.csi.storage.gke.io", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"),
        ),
        (
            "gcePersistentDisk", {"pdName": "d"}, {ZONE: "us-a-1"},
            ("pd.csi.storage.gke.io", "projects/UNSPECIFIED/zones/us-a-1/disks/d"),
        ),
        (
            "gcePersistentDisk", {"pdName": "d"}, {OLD_ZONE: "us-a-1__us-a-2", ZONE: "x"},
            ("pd.csi.storage.gke.io", "projects/UNSPECIFIED/regions/us-a/disks/d"),
        ),
    ],
)  # fmt: skip
def test_a_volume_of_old_has_an_identity_with_its_new_driver(
    source: str, told: Any, labels: Any, expected: Any
) -> None:
    assert handle(old_volume(source, told, labels=labels)) == expected


@pytest.mark.parametrize(
    ("source", "told", "labels", "problem"),
    [
        (
            "awsElasticBlockStore", {"volumeID": "aws://z/a/vol-1"}, {},
            f"{EBS_PROBLEM} (aws://z/a/vol-1)",
        ),
        (
            "azureDisk", {"diskURI": "u", "kind": "Dedicated"}, {},
            "kind(Dedicated) is not supported in csi migration",
        ),
        (
            "gcePersistentDisk", {"pdName": "d"}, {ZONE: "a__b"},
            f"{ZONE_PROBLEM}, expected: {{locale}}-{{region}}-{{zone}}, got: a",
        ),
        (
            "gcePersistentDisk", {"pdName": "d"}, {ZONE: "us-b-1__us-a-1"},
            f"{REGION_PROBLEM}, got: map[us-a:{{}} us-b:{{}}]",
        ),
    ],
)  # fmt: skip
def test_some_volumes_cannot_be_taken_over(
    source: str, told: Any, labels: Any, problem: str
) -> None:
    with pytest.raises(csi_migration.TranslationError) as refused:
        handle(old_volume(source, told, labels=labels))
    assert str(refused.value) == problem


def test_drivers_without_a_successor_in_use_are_known_but_not_migrated() -> None:
    for source, name in (("azureFile", "azure-file"), ("vsphereVolume", "vsphere-volume")):
        plugin = csi_migration.plugin_of({source: {}})
        assert plugin is not None
        assert plugin is csi_migration.plugin_named(f"kubernetes.io/{name}")
        assert not plugin.migrated
    assert csi_migration.plugin_of({"emptyDir": {}}) is None
    assert csi_migration.plugin_named("disk.example.com") is None


def affinity(**parts: Any) -> Any:
    volume = old_volume("awsElasticBlockStore", {"volumeID": "vol-1"}, **parts)
    plugin = csi_migration.plugin_of(volume["spec"])
    assert plugin is not None
    found = csi_migration.node_affinity(plugin, volume)
    return None if found is None else found["nodeSelectorTerms"]


def test_a_volume_without_a_place_stays_without() -> None:
    assert affinity() is None
    assert affinity(labels={ZONE: "__"}) is None


def test_zones_are_told_by_the_key_of_the_new_driver() -> None:
    assert affinity(terms=[storages.within(ZONE, "a")]) == [storages.within(EBS_ZONE, "a")]
    assert affinity(terms=[storages.within(OLD_ZONE, "a")]) == [storages.within(EBS_ZONE, "a")]


def test_labels_place_a_volume_whose_affinity_does_not() -> None:
    placed = {"key": EBS_ZONE, "operator": "In", "values": ["a", "b"]}
    assert affinity(labels={ZONE: "b__a"}) == [{"matchExpressions": [placed]}]
    other = storages.within("x", "y")
    expected = [{"matchExpressions": [*other["matchExpressions"], placed]}]
    assert affinity(labels={OLD_ZONE: "a__b"}, terms=[other]) == expected


def test_affinity_goes_before_labels() -> None:
    terms = [storages.within(ZONE, "a")]
    assert affinity(labels={ZONE: "b"}, terms=terms) == [storages.within(EBS_ZONE, "a")]


def test_an_old_region_gets_its_newer_name() -> None:
    both = {"matchExpressions": [
        *storages.within(OLD_ZONE, "a")["matchExpressions"],
        *storages.within(OLD_REGION, "east")["matchExpressions"],
    ]}  # fmt: skip
    (term,) = affinity(terms=[both])
    assert [each["key"] for each in term["matchExpressions"]] == [EBS_ZONE, REGION]


def test_drivers_without_a_key_of_their_own_change_nothing() -> None:
    terms = [storages.within(ZONE, "a")]
    volume = old_volume("portworxVolume", {"volumeID": "x"}, terms=terms)
    plugin = csi_migration.plugin_named("kubernetes.io/portworx-volume")
    assert plugin is not None
    assert csi_migration.node_affinity(plugin, volume) == {"nodeSelectorTerms": terms}
