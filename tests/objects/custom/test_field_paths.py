from __future__ import annotations

import pytest

from kubestage.objects.custom import field_paths, nodes
from tests.objects.custom.samples import COUNT, TEXT, mapping, struct

NODE = nodes.Node({
    "type": "object",
    "properties": {"a": struct(b=TEXT), "x.y": TEXT, "m": mapping(struct(n=COUNT)), "it's": TEXT},
})  # fmt: skip


@pytest.mark.parametrize(
    ("path", "shown", "kind"),
    [
        (".a.b", "a.b", "string"), ("['x.y']", "x.y", "string"), ("", "", "object"),
        (".m.key.n", "m[key].n", "integer"), (".m['k.l'].n", "m[k.l].n", "integer"),
        (r"['it\'s']", "it's", "string"),
    ],
)  # fmt: skip
def test_a_path_leads_to_a_field(path: str, shown: str, kind: str) -> None:
    found = field_paths.find(path, NODE)
    assert found.node is not None
    assert (found.path, found.node.type) == (shown, kind)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("a", "expected [ or . but got: a"),
        (".", "unexpected end of JSON path"),
        (".z", "does not refer to a valid field"),
        (".a.b.c", "does not refer to a valid field"),
        ("[a]", "expected single quoted string but got a"),
        ("['a'", "unexpected end of JSON path"),
        ("['a'.b", "expected ] but got ."),
        (r"['\x']", r"invalid string literal: invalid escape char \x"),
    ],
)
def test_a_path_that_leads_nowhere_says_why(path: str, problem: str) -> None:
    with pytest.raises(field_paths.FieldPathError) as refused:
        field_paths.find(path, NODE)
    assert str(refused.value) == problem
    assert field_paths.normalized(path, NODE) == ""
