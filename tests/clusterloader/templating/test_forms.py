"""Filling a form gives what rendering, checking and reading give."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.clusterloader.templating import documents
from kubestage.errors import InputError
from kubestage.golang.rand import text_with_seed
from tests.clusterloader.templating.cases import templates

if TYPE_CHECKING:
    from kubestage.clusterloader.templating.templates import Templates

HEAD = "apiVersion: v1\nkind: Thing\n"
BODIES = [
    "name: {{.A}}\nother: {{.B}}",
    "name: x-{{.A}}-y",
    "name: 1{{.A}}",
    "name: {{.A}}e{{.B}}",
    "name: '{{.A}}'\nother: \"{{.B}}\"",
    'name: "\\x4{{.A}}"',
    "name: |{{.N}}\n   text\n",
    "name: |\n  line {{.A}}\n  {{.B}}\n",
    "name: >-\n  folded {{.A}}\n  {{.B}}\n",
    "list: [{{.A}}, {{.B}}, {{.N}}]",
    "map: {a: {{.A}}, b: {c: {{.N}}}}",
    "{{.A}}: key",
    "k{{.N}}: key",
    "# {{.A}}\nname: x",
    "name: &a{{.A}} x\nother: *a{{.A}}",
    "name: !{{.A}} x",
    "name: {{AddInt .N 1}}\nother: {{Lowercase .A}}",
    "name: {{printf `%s-%v` .A .N}}",
    "{{if eq (Mod .N 2) 0}}even: {{.A}}{{else}}odd: {{.B}}{{end}}",
    "{{range Loop .N}}\n- {{.}}{{end}}",
    "list:\n{{range $i := Loop .N}}- {name: {{$.A}}-{{$i}}}\n{{end}}",
    "name: {{RandIntRange 1 5}}\nother: {{RandData 3}}",
    "name: {{RandDataWithSeed 8 .A}}\nother: {{RandDataWithSeed 1 .A}}{{RandDataWithSeed 0 .A}}",
    "name: {{.Missing}}\nother: {{DefaultParam .Missing .A}}",
    "name: {{StructuralData .A}}\nother: {{ N+1 }}",
    "name: {{.L}}",
    "name: -{{.N}}\nother: +{{.A}}\nthird: .{{.N}}",
    "name: {{.A}}:{{.B}}\nother: {{.A}} #{{.B}}",
    "name: zq{{.A}}qz",
    "---\napiVersion: v1\nkind: Other\nname: {{.A}}",
    "{{$a := Concat .A `-` .B}}name: {{$a}}",
    "<<: {x: {{.A}}}",
    "name: {{.A}}\nname: {{.B}}",
    "yes: {{.B}}\n5: {{.A}}\nnull: x",
]
WORDS = st.sampled_from(
    ("a", "web-1", "e-1", "es", "ull", "true", "null", "y", "5", "007", "1.5", "1e5", "0x1F", "x.y")
)
ODD = st.sampled_from(
    ("", "a: b", "a b", "-", "#", '"', "zqS0qz", "a\nb", "[1", "~", "*a", "x" * 400)
)
VALUES = st.one_of(WORDS, WORDS, ODD)


def _slowly(text: str, mapping: dict[str, Any], chance: random.Random) -> Any:
    """The readable way: run, guard, read."""
    twin = templates({"main": text}, chance)
    try:
        return documents.objects(twin.text("main", mapping), "main")
    except InputError as error:
        return str(error)


def _quickly(quick: Templates, mapping: dict[str, Any]) -> Any:
    try:
        return quick.objects("main", mapping)
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("body", BODIES)
@settings(max_examples=30)
@given(st.lists(st.tuples(VALUES, VALUES, st.integers(-3, 12)), min_size=2, max_size=6))
def test_objects_are_those_of_the_readable_way(body: str, rows: list[tuple[str, str, int]]) -> None:
    text = HEAD + body
    chance, twin_chance = random.Random(3), random.Random(3)
    quick = templates({"main": text}, chance)
    for first, second, number in rows:
        listed = [first, number]
        mapping = {"A": first, "B": second, "N": number, "Index": number, "L": listed}
        expected = _slowly(text, mapping, twin_chance)
        found = _quickly(quick, mapping)
        assert found == expected
        assert repr(found) == repr(expected)
        assert chance.getstate() == twin_chance.getstate()


def _forms(quick: Templates) -> list[Any]:
    return list(quick._prepared["main", False].forms.values())


def test_renderings_that_differ_in_names_and_numbers_share_a_form() -> None:
    quick = templates({"main": HEAD + "name: {{.A}}\nseed: {{RandDataWithSeed 8 .A}}\nn: {{.N}}"})
    for number in range(20):
        quick.objects("main", {"A": f"web-{number}", "N": number})
    (form,) = _forms(quick)
    assert form is not None


@pytest.mark.parametrize(
    "body", ["k{{.N}}: x", "a: |{{.N}}\n     x", 'a: "\\x4{{.N}}"', "a: !t{{.N}} x"]
)
def test_no_form_is_made_where_letters_count(body: str) -> None:
    quick = templates({"main": HEAD + body})
    quick.objects("main", {"N": 1})
    assert _forms(quick) == [None]


def test_the_guard_is_asked_again_where_other_strings_went_into_the_same_text() -> None:
    quick = templates({"main": HEAD + "name: {{slice .A 3 4}}"})
    assert quick.objects("main", {"A": "abcd"})[0]["name"] == "d"
    with pytest.raises(InputError, match="YAML Injection Detected"):
        quick.objects("main", {"A": "a[cd"})


def test_a_string_is_not_taken_for_the_number_that_it_spells() -> None:
    quick = templates({"main": HEAD + "k{{.A}}: x\nseed: {{RandDataWithSeed .N `s`}}"})
    assert quick.objects("main", {"A": -5, "N": 8})[0]["k-5"] == "x"
    with pytest.raises(InputError, match="YAML Injection Detected"):
        quick.objects("main", {"A": "-5", "N": 8})
    with pytest.raises(InputError, match="cannot cast baseline to float64"):
        quick.objects("main", {"A": -5, "N": "8"})


def test_a_text_from_the_guards_own_seed_is_never_a_number() -> None:
    assert all(text_with_seed(length, "baseline")[0] == "Q" for length in (1, 2, 50))


def test_what_is_filled_in_does_not_leak_into_the_next_object() -> None:
    quick = templates({"main": HEAD + "deep: [{a: {b: {{.A}}}, c: same}]"})
    first, second, third = (quick.objects("main", {"A": name})[0] for name in ("x", "y1", "z2"))
    assert [each["deep"][0]["a"]["b"] for each in (first, second, third)] == ["x", "y1", "z2"]


def test_a_template_of_many_forms_keeps_few_of_them() -> None:
    quick = templates({"main": HEAD + "name: {{Concat .A `x`}}"})
    for number in range(300):
        assert quick.objects("main", {"A": f"a{number}"})[0]["name"] == f"a{number}x"
    assert len(_forms(quick)) == 256
