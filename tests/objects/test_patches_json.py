"""JSON Patch and JSON merge patch beyond what is recorded."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import patches
from kubestage.objects.patches import PatchError, PatchType, merge_patch

DOCUMENT: dict[str, Any] = {"a": {"b": [1, 2, 3]}, "c": "d", "n": None}


def _json(*operations: Any) -> Any:
    return patches.apply(PatchType.JSON, DOCUMENT, list(operations))


def _merge(original: Any, patch: Any) -> Any:
    return patches.apply(PatchType.MERGE, original, patch)


def test_untouched_subtrees_are_shared() -> None:
    patched = _json({"op": "replace", "path": "/c", "value": "e"})
    assert patched["a"] is DOCUMENT["a"]
    assert _merge(DOCUMENT, {"c": "e"})["a"] is DOCUMENT["a"]


def test_operations_see_what_earlier_ones_did() -> None:
    patched = _json(
        {"op": "move", "from": "/a/b/0", "path": "/a/first"},
        {"op": "copy", "from": "/a/first", "path": "/a/b/-"},
        {"op": "test", "path": "/a/b", "value": [2, 3, 1]},
        {"op": "remove", "path": "/c"},
    )
    assert patched == {"a": {"b": [2, 3, 1], "first": 1}, "n": None}


def test_a_missing_member_is_copied_as_null() -> None:
    assert _json({"op": "copy", "from": "/x", "path": "/y"})["y"] is None


def test_the_whole_document_can_be_replaced_and_tested() -> None:
    assert _json({"op": "replace", "path": "", "value": {"z": 1}}) == {"z": 1}
    assert _json({"op": "test", "path": "", "value": DOCUMENT}) is DOCUMENT


def test_negative_indices_count_from_the_end() -> None:
    assert _json({"op": "replace", "path": "/a/b/-1", "value": 9})["a"]["b"] == [1, 2, 9]
    assert _json({"op": "add", "path": "/a/b/-1", "value": 9})["a"]["b"] == [1, 2, 3, 9]


def test_numbers_and_booleans_are_told_apart() -> None:
    with pytest.raises(PatchError, match="testing value /a/b/0 failed: test failed"):
        _json({"op": "test", "path": "/a/b/0", "value": True})


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        (5, "json: cannot unmarshal number into Go value of type jsonpatch.Operation"),
        (None, "Unexpected kind: unknown"),
        ({"op": 5}, "Unexpected kind: unknown"),
        ({"op": "add", "path": "", "value": 1},
         'add operation does not apply: doc is missing path: "": missing value'),
        ({"op": "add", "path": "/a/b/x", "value": 1},
         ("error in add for path: '/a/b/x': value was not a proper array index: 'x': "
          'strconv.Atoi: parsing "x": invalid syntax')),
        ({"op": "add", "path": "/c/d", "value": 1},
         'add operation does not apply: doc is missing path: "/c/d": missing value'),
        ({"op": "remove"}, "remove operation failed to decode path: missing value"),
        ({"op": "remove", "path": "/a/b/99999999999999999999"},
         ("error in remove for path: '/a/b/99999999999999999999': strconv.Atoi: "
          'parsing "99999999999999999999": value out of range')),
        ({"op": "replace", "path": 5},
         ("replace operation failed to decode path: json: cannot unmarshal number into Go value "
          "of type string")),
        ({"op": "replace"},
         "replace operation failed to decode path: operation missing path field: missing value"),
        ({"op": "replace", "path": "/a/b/7", "value": 1},
         "replace operation does not apply: doc is missing key: /a/b/7: missing value"),
        ({"op": "replace", "path": "", "value": 1},
         "replace operation value must be object or array: %!w(<nil>)"),
        ({"op": "move", "path": "/a"},
         "move operation failed to decode from: operation, missing from field: missing value"),
        ({"op": "move", "from": "/x/y", "path": "/a"},
         "move operation does not apply: doc is missing from path: /x/y: missing value"),
        ({"op": "move", "from": "/c", "path": "/x/y"},
         "move operation does not apply: doc is missing destination path: /x/y: missing value"),
        ({"op": "move", "from": "/a/b/9", "path": "/a"},
         ("error in move for path: '9': Unable to access invalid index: 9: "
          "invalid index referenced")),
        ({"op": "copy", "from": "/a/b/9", "path": "/a"},
         ("error in copy for from: '/a/b/9': Unable to access invalid index: 9: "
          "invalid index referenced")),
        ({"op": "copy", "from": "/c"}, "copy operation failed to decode path: missing value"),
        ({"op": "copy", "from": "/c", "path": "/a/b/9"},
         ("error while adding value during copy: Unable to access invalid index: 9: "
          "invalid index referenced")),
        ({"op": "test", "path": "/x/y"},
         "test operation does not apply: is missing path: /x/y: missing value"),
        ({"op": "test", "path": "/a/b/9"},
         ("error in test for path: '/a/b/9': Unable to access invalid index: 9: "
          "invalid index referenced")),
    ],
)  # fmt: skip
def test_a_bad_operation_is_refused_with_the_library_s_words(operation: Any, text: str) -> None:
    with pytest.raises(PatchError) as caught:
        _json(operation)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("original", "patch", "expected"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ({"a": {"x": 1}}, {"a": [{"y": None}]}, {"a": [{"y": None}]}),
        ({"a": [1]}, {"a": [{"y": None}, None]}, {"a": [{}, None]}),
        ({"a": 1}, [{"y": None}], [{}]),
    ],
)
def test_merge_patch_follows_the_rfc_and_the_library(
    original: Any, patch: Any, expected: Any
) -> None:
    assert _merge(original, patch) == expected


@pytest.mark.parametrize("patch", [None, 5, "x", True])
def test_a_merge_patch_that_is_no_object_is_refused(patch: Any) -> None:
    with pytest.raises(PatchError, match=r"^Invalid JSON Patch$"):
        _merge({}, patch)


def test_three_way_merge_patch_deletes_only_what_was_applied_before() -> None:
    applied = {"spec": {"a": 1, "gone": 1}}
    new = {"spec": {"a": 2}}
    live = {"spec": {"a": 1, "gone": 1, "foreign": 3}}
    patch = merge_patch.three_way(applied, new, live)
    assert patch == {"spec": {"a": 2, "gone": None}}
    assert _merge(live, patch) == {"spec": {"a": 2, "foreign": 3}}
