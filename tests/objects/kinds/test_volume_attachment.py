from __future__ import annotations

from typing import Any

import pytest

from tests.objects.validation.judging import changes, make, problems

ONE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
INLINE = "spec.source.inlineVolumeSpec"
CSI = {"csi": {"driver": "d.x", "volumeHandle": "h"}, "accessModes": ["ReadWriteOnce"]}


def attachment(
    source: dict[str, Any], status: dict[str, Any] | None = None, **spec: Any
) -> dict[str, Any]:
    spec = {"attacher": "d.x", "nodeName": "n", "source": source, **spec}
    return make("storage.k8s.io/v1", "VolumeAttachment", spec=spec, status=status or {})


def test_a_volume_is_attached_by_name_or_brought_along() -> None:
    assert problems(attachment({"persistentVolumeName": "p"})) == []
    assert problems(attachment({"inlineVolumeSpec": CSI})) == []


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ({}, f"spec.source: Required value: {ONE}"),
        (
            {"persistentVolumeName": "p", "inlineVolumeSpec": CSI},
            f"spec.source: Forbidden: {ONE}",
        ),
        (
            {"inlineVolumeSpec": {**CSI, "claimRef": {"name": "c"}}},
            f"{INLINE}.claimRef: Forbidden: may not be specified in the context of inline volumes",
        ),
        (
            {"inlineVolumeSpec": {**CSI, "accessModes": []}},
            f"{INLINE}.accessModes: Required value",
        ),
        (
            {"inlineVolumeSpec": {**CSI, "persistentVolumeReclaimPolicy": "Delete"}},
            (
                f"{INLINE}.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the "
                "context of inline volumes"
            ),
        ),
        (
            {"inlineVolumeSpec": {**CSI, "volumeMode": "Block"}},
            (
                f"{INLINE}.volumeMode: Forbidden: may not specify volumeMode other than Filesystem "
                "in the context of inline volumes"
            ),
        ),
        (
            {"inlineVolumeSpec": {**CSI, "storageClassName": "s"}},
            (
                f"{INLINE}.storageClassName: Forbidden: may not be specified in the context of "
                "inline volumes"
            ),
        ),
        (
            {"inlineVolumeSpec": {**CSI, "csi": {"driver": "d.x"}}},
            f"{INLINE}.csi.volumeHandle: Required value",
        ),
    ],
)
def test_what_is_wrong_with_a_source(source: dict[str, Any], text: str) -> None:
    assert problems(attachment(source)) == [text]


def test_an_inline_volume_is_one_of_a_driver() -> None:
    found = problems(attachment({"inlineVolumeSpec": {"accessModes": ["ReadWriteOnce"]}}))
    assert found == [
        f"{INLINE}.csi: Required value: has to be specified in the context of inline volumes",
        f"{INLINE}: Required value: must specify a volume type",
    ]


def test_attacher_and_node_are_names() -> None:
    first, second = problems(attachment({"persistentVolumeName": "p"}, attacher="", nodeName=""))
    assert first == "spec.attacher: Required value"
    assert second.startswith('spec.nodeName: Invalid value: "": a lowercase RFC 1123 subdomain')


def test_what_is_attached_where_does_not_change() -> None:
    old = attachment({"persistentVolumeName": "p"})
    assert changes(attachment({"persistentVolumeName": "p"}), old) == []
    (text,) = changes(attachment({"persistentVolumeName": "q"}), old)
    assert text == (
        'spec: Invalid value: {"Attacher":"d.x","Source":{"PersistentVolumeName":"q",'
        '"InlineVolumeSpec":null},"NodeName":"n"}: field is immutable'
    )


def test_a_report_is_short() -> None:
    old = attachment({"persistentVolumeName": "p"})
    status = {"attached": False, "attachError": {"message": "m" * 1025, "errorCode": -1}}
    new = attachment({"persistentVolumeName": "p"}, status)
    assert changes(new, old, "status") == [
        "status.attachError.message: Too long: may not be more than 262144 bytes",
        (
            "status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, "
            "inclusive"
        ),
    ]


def test_who_reports_changes_no_metadata() -> None:
    old = attachment({"persistentVolumeName": "p"})
    new = attachment({"persistentVolumeName": "p"}, {"attached": True})
    new["metadata"]["finalizers"] = ["not-even-valid"]
    assert changes(new, old, "status") == []
