"""Every recorded patch: the same result as the API server's, or the same error."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from kubestage.objects import patches, schema
from tests.golden import vectors

_TYPES = {
    "strategicMergePatch": patches.PatchType.STRATEGIC,
    "jsonMergePatch": patches.PatchType.MERGE,
    "jsonPatch": patches.PatchType.JSON,
}


def _run(entry: dict[str, Any]) -> Any:
    given = entry["in"]
    struct = schema.kind_struct(given["apiVersion"], given["kind"]) if "kind" in given else None
    if entry["op"] in _TYPES:
        return patches.apply(_TYPES[entry["op"]], given["original"], given["patch"], struct)
    if entry["op"] == "twoWayMergePatch":
        return patches.two_way(given["original"], given["modified"], struct)
    return patches.three_way(
        given["original"], given["modified"], given["current"], struct, given["overwrite"]
    )


@pytest.mark.parametrize("op", [*_TYPES, "twoWayMergePatch", "threeWayMergePatch"])
def test_recorded_patches_give_the_recorded_outcome(op: str) -> None:
    entries = vectors.load("strategicmergepatch", op)
    assert entries
    for entry in entries:
        before = copy.deepcopy(entry["in"])
        if "error" in entry:
            with pytest.raises(patches.PatchError) as caught:
                _run(entry)
            assert str(caught.value) == entry["error"], entry["id"]
        else:
            assert _run(entry) == entry["out"], entry["id"]
        assert entry["in"] == before, f"{entry['id']} changed its input"
