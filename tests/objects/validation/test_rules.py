from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import kinds
from kubestage.objects.validation import rules


def fields(obj: dict[str, Any]) -> list[str]:
    return [error.field for error in rules.validate_create(obj)]


def make(api_version: str, kind: str, name: str, namespace: str = "") -> dict[str, Any]:
    meta = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": api_version, "kind": kind, "metadata": meta, "spec": {}}


PLAIN = [row for row in kinds.BUILT_IN if row.kind in ("Secret", "LimitRange", "CSINode")]


@pytest.mark.parametrize("row", PLAIN, ids=lambda row: row.kind)
def test_a_kind_without_rules_of_its_own_is_judged_by_its_metadata(row: kinds.Kind) -> None:
    namespace = "n" if row.namespaced else ""
    assert fields(make(row.api_version, row.kind, "a", namespace)) == []
    assert fields(make(row.api_version, row.kind, "A_", namespace)) == ["metadata.name"]
    wrong = make(row.api_version, row.kind, "a", "" if row.namespaced else "n")
    assert fields(wrong) == ["metadata.namespace"]


def test_a_role_may_have_any_name_that_fits_into_a_url() -> None:
    role = ("rbac.authorization.k8s.io/v1", "ClusterRole")
    assert fields(make(*role, "system:Node_x")) == []
    assert fields(make(*role, "a/b")) == ["metadata.name"]


def test_a_custom_resource_is_judged_by_its_metadata() -> None:
    assert fields(make("example.com/v1", "Thing", "a", "n")) == []
    assert fields(make("example.com/v1", "Thing", "A_", "n")) == ["metadata.name"]


def test_an_update_repeats_what_is_wrong_as_the_server_does() -> None:
    old = make("v1", "Secret", "a", "n")
    old["metadata"] |= {"resourceVersion": "1", "uid": "u"}
    new = {**old, "metadata": {**old["metadata"], "uid": "v"}}
    found = rules.validate_update(new, old)
    assert [error.field for error in found] == ["metadata.uid", "metadata.uid"]
