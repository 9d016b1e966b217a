"""Hashes and names that controllers derive, against recorded ones."""

from __future__ import annotations

from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest

from kubestage.golang import json_encoding
from kubestage.objects import defaulting, go_dump, hashing
from tests.golden import vectors
from tests.reference import fnv

TIME = (
    "{Time:(time.Time){wall:(uint64)500000000 ext:(int64)62135596801 "
    "loc:(*time.Location){name:(string)UTC "
)


def _wrong(op: str, compute: Any) -> list[str]:
    entries = vectors.load("naming", op)
    assert entries
    return [entry["id"] for entry in entries if compute(entry["in"]) != entry["out"]]


def test_pod_template_hashes_and_the_text_behind_them() -> None:
    def compute(given: dict[str, Any]) -> dict[str, str]:
        template = given["template"]
        return {
            "hash": hashing.pod_template_hash(template, given["collisionCount"]),
            "dump": go_dump.dump("core/v1.PodTemplateSpec", template),
        }

    assert not _wrong("podTemplateHash", compute)


def test_deployment_hashes_and_replica_set_names() -> None:
    def compute(given: dict[str, Any]) -> dict[str, Any]:
        template_hash = hashing.deployment_hash(given)
        return {
            "hash": template_hash,
            "replicaSetName": hashing.replica_set_name(given["metadata"]["name"], template_hash),
            "template": defaulting.stored(given)["spec"]["template"],
        }

    assert not _wrong("deploymentHash", compute)


def test_stateful_set_revisions() -> None:
    def compute(given: dict[str, Any]) -> dict[str, Any]:
        revision = hashing.stateful_set_revision(given)
        return {"name": revision.name, "labels": revision.labels, "data": revision.data}

    assert not _wrong("statefulSetRevision", compute)


def test_names_cut_to_length() -> None:
    assert not _wrong(
        "replicaSetName", lambda given: hashing.replica_set_name(given["deployment"], given["hash"])
    )
    assert not _wrong(
        "indexedJobPodGenerateName",
        lambda given: hashing.indexed_job_pod_generate_name(given["job"], given["index"]),
    )
    assert not _wrong("safeEncodeString", lambda given: hashing.safe_encode_string(given["s"]))


def test_a_hash_that_leaves_no_room_for_the_name_is_not_cut() -> None:
    assert hashing.replica_set_name("web", "h" * 253) == "web-" + "h" * 253


def test_a_template_that_changes_gets_another_hash() -> None:
    template: dict[str, Any] = {"spec": {"containers": [{"name": "c"}]}}
    before = hashing.pod_template_hash(template)
    template["spec"]["containers"][0]["image"] = "img"
    assert hashing.pod_template_hash(template) != before


def test_collisions_change_the_hash() -> None:
    hashes = {hashing.pod_template_hash({}, count) for count in (None, 0, 1)}
    assert len(hashes) == 3


def test_given_collisions_go_before_those_in_the_status() -> None:
    stateful_set = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "s" * 230},
        "status": {"collisionCount": 1},
    }
    first = hashing.stateful_set_revision(stateful_set)
    assert first != hashing.stateful_set_revision(stateful_set, 0)
    assert first == hashing.stateful_set_revision(stateful_set, 1)
    assert first.name.startswith("s" * 223 + "-")
    assert first.name.endswith(first.labels[hashing.REVISION_HASH_LABEL])


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("creationTimestamp", "1970-01-01T00:00:01.5Z", f"CreationTimestamp:(v1.Time){TIME}"),
        ("ownerReferences", [], "OwnerReferences:([]v1.OwnerReference)[] "),
        ("labels", {"b": "2", "a": None}, "Labels:(map[string]string)map[a: b:2] "),
        ("deletionGracePeriodSeconds", 0, "DeletionGracePeriodSeconds:(*int64)0 "),
        ("generation", None, "Generation:(int64)0 "),
        ("managedFields", [{"fieldsV1": {}}], "FieldsV1:(*v1.FieldsV1){Raw:([]uint8)[123 125]}"),
    ],
)
def test_every_sort_of_field_is_dumped_as_go_does(field: str, value: Any, text: str) -> None:
    assert text in go_dump.dump("core/v1.PodTemplateSpec", {"metadata": {field: value}})


def test_amounts_beyond_64_bits_are_dumped_word_by_word() -> None:
    limits = {"cpu": "-" + "9" * 39, "a": None}
    dumped = go_dump.dump("core/v1.ResourceRequirements", {"limits": limits})
    nanos = (10**39 - 1) * 10**9
    words = " ".join(str(nanos >> shift & (1 << 64) - 1) for shift in (0, 64, 128))
    assert f"{{unscaled:(big.Int){{neg:(bool)true abs:(big.nat)[{words}]}}" in dumped
    assert "map[a:{i:(resource.int64Amount){value:(int64)0 scale:(resource.Scale)0}" in dumped


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None]}, '{"a":[true,null],"b":1}'),
        ("<a>&\u2028é", '"\\u003ca\\u003e\\u0026\\u2028é"'),
        (2**53, "9007199254740992"),
        (2**63 - 1, "9223372036854776000"),
        (-(2**53) - 1, "-9007199254740992"),
    ],
)
def test_json_is_spelled_as_go_does(value: Any, text: str) -> None:
    assert json_encoding.encode(value).decode() == text


_PARTS = st.lists(st.sampled_from([b"", b"{", b"{{", b"}", b"Name:(string)"]) | st.binary())


@hypothesis.given(_PARTS.map(b"".join))
def test_a_hash_of_parts_is_that_of_all_bytes(data: bytes) -> None:
    assert hashing._fnv_1a(data) == fnv.fnv_1a(data)
