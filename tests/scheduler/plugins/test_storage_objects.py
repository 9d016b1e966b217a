from __future__ import annotations

import gc
from typing import Any

from kubestage.scheduler.plugins import storage_objects
from tests.scheduler.plugins import clusters, storages


def names(listed: Any) -> list[str]:
    return [each["metadata"]["name"] for each in listed]


def test_a_view_is_kept_while_its_object_stays() -> None:
    handle = clusters.handle([storages.claim("c"), storages.volume("v")])
    objects = storage_objects.StorageObjects(handle.lister)
    claim, volume = objects.claim("default", "c"), objects.volume("v")
    assert objects.claim("default", "c") is claim
    assert objects.volume("v") is volume
    handle.client.update(storages.claim("c", size="9Gi"))
    newer = objects.claim("default", "c")
    assert newer is not None
    assert newer.requested == 9 << 30
    assert objects.volume("v") is volume
    assert objects.claim("default", "missing") is None


def test_what_follows_from_a_list_is_worked_out_when_it_changes() -> None:
    handle = clusters.handle([storages.csi_node("m"), storages.csi_node("n")])
    objects = storage_objects.StorageObjects(handle.lister)
    first = objects.following("CSINode", names)
    assert first == ["m", "n"]
    assert objects.following("CSINode", names) is first
    assert objects.following("VolumeAttachment", names) == []
    handle.client.update(storages.csi_node("n", disk=1))
    assert objects.following("CSINode", names) is not first
    assert objects.csi_nodes()["n"].limits == {"disk.example.com": 1}


def test_views_are_shared_by_those_who_read_from_one_lister_as_long_as_they_live() -> None:
    one, other = clusters.handle(), clusters.handle()
    shared = storage_objects.shared(one.lister)
    assert storage_objects.shared(one.lister) is shared
    assert storage_objects.shared(other.lister) is not shared
    shared.marked = True  # type: ignore[attr-defined] # to tell it from a new one
    del shared
    gc.collect()
    assert not hasattr(storage_objects.shared(one.lister), "marked")
