from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import claim_spec
from tests.objects.validation.pod_specs import texts

VALID = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
VOLUME = {"kind": "PersistentVolumeClaim", "name": "other"}


def _problems(**fields: Any) -> list[str]:
    return texts(claim_spec.validate_claim_spec(VALID | fields, "spec"))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, []),
        (
            {"accessModes": []},
            ["spec.accessModes: Required value: at least 1 access mode is required"],
        ),
        (
            {"accessModes": ["ReadWriteOncePod", "ReadWriteOnce", "Foo"]},
            [
                (
                    'spec.accessModes: Unsupported value: "Foo": supported values: "ReadOnlyMany", '
                    '"ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"'
                ),
                "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
            ],
        ),
        ({"accessModes": ["ReadWriteOncePod"]}, []),
        ({"resources": {}}, ["spec.resources[storage]: Required value"]),
        (
            {"resources": {"requests": {"storage": "0"}}},
            ['spec.resources[storage]: Invalid value: "0": must be greater than zero'],
        ),
        ({"storageClassName": ""}, []),
        (
            {"volumeMode": "Tape"},
            ['spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'],
        ),
        (
            {"dataSource": {"kind": "Snapshot"}},
            [
                "spec.dataSource.name: Required value",
                (
                    "spec.dataSource: Invalid value: \"Snapshot\": must be 'PersistentVolumeClaim' "
                    "when referencing the default apiGroup"
                ),
            ],
        ),
        ({"dataSource": VOLUME, "dataSourceRef": VOLUME}, []),
        (
            {"dataSource": VOLUME, "dataSourceRef": VOLUME | {"name": "third"}},
            ["spec: Invalid value: {}: must match dataSourceRef"],
        ),
        (
            {"dataSource": VOLUME, "dataSourceRef": VOLUME | {"namespace": "ns"}},
            [
                (
                    "spec: Invalid value: {}: may not be specified when dataSourceRef.namespace is "
                    "specified"
                )
            ],
        ),
    ],
)
def test_claim_specs(fields: dict[str, Any], expected: list[str]) -> None:
    assert _problems(**fields) == expected


@pytest.mark.parametrize(
    ("fields", "start"),
    [
        ({"storageClassName": "A"}, 'spec.storageClassName: Invalid value: "A": a lowercase'),
        (
            {"volumeAttributesClassName": "A"},
            'spec.volumeAttributesClassName: Invalid value: "A": a lowercase',
        ),
        (
            {"selector": {"matchLabels": {"a b": ""}}},
            'spec.selector.matchLabels: Invalid value: "a b": name part',
        ),
        (
            {"dataSourceRef": VOLUME | {"namespace": "A"}},
            'spec.dataSourceRef.namespace: Invalid value: "A": a lowercase',
        ),
        (
            {"dataSource": {"apiGroup": "A", "kind": "K", "name": "n"}},
            'spec.dataSource.apiGroup: Invalid value: "A": a lowercase',
        ),
    ],
)
def test_names_in_claim_specs(fields: dict[str, Any], start: str) -> None:
    (problem,) = _problems(**fields)
    assert problem.startswith(start)


def test_an_old_claim_may_keep_an_invalid_group() -> None:
    spec = VALID | {"dataSource": {"apiGroup": "A", "kind": "K", "name": "n"}}
    assert claim_spec.validate_claim_spec(spec, "spec", allow_invalid_api_group=True) == []


def test_a_template_has_labels_and_annotations_but_no_identity() -> None:
    template = {
        "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}, "creationTimestamp": None},
        "spec": VALID,
    }
    assert claim_spec.validate_claim_template(template, "t") == []
    meta = {"name": "n", "uid": "u", "finalizers": ["f"]}
    assert texts(claim_spec.validate_claim_template({"metadata": meta, "spec": VALID}, "t")) == [
        "t.metadata.name: Forbidden: cannot be set",
        "t.metadata.uID: Forbidden: cannot be set",
        "t.metadata.finalizers: Forbidden: cannot be set",
    ]
