from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.controllers.kwok import effects, heartbeats
from kubestage.controllers.kwok.addresses import Addresses, Pool
from kubestage.controllers.kwok.effects import Apply, Delete, Patch, SendEvent
from kubestage.controllers.kwok.rendering import Renderer
from kubestage.controllers.kwok.stage_types import FinalizerItem, Finalizers
from kubestage.controllers.kwok.template_functions import (
    TemplateContext,
    functions,
)
from kubestage.errors import InputError
from kubestage.golang import times
from kubestage.objects import timestamps
from kubestage.objects.patches import PatchType, json_patch
from tests.controllers.kwok import stages

if TYPE_CHECKING:
    from kubestage.aliases import Json

NOW_NS = timestamps.parse_time("2026-01-01T00:00:00Z") + 500_000_000
NODES: dict[str, Json] = {
    "plain": {"metadata": {"name": "plain"}, "spec": {}},
    "both": {
        "spec": {"podCIDRs": ["10.8.0.0/24", "fd00::/64"]},
        "status": {
            "addresses": [
                {"type": "Hostname", "address": "both"},
                {"type": "ExternalIP", "address": "1.2.3.4"},
                {"type": "InternalIP", "address": "10.0.0.7"},
                {"type": "InternalIP", "address": "fd00::7"},
            ]
        },
    },
}


def _node(name: str) -> Json | None:
    return NODES.get(name)


def _renderer() -> Renderer:
    context = TemplateContext(NOW_NS, Addresses(_node), NOW_NS - 1_000_000_000, "me")
    return Renderer(functions(context))


def _effects(spec: Json, obj: Json | None = None, is_typed: bool = False) -> list[effects.Effect]:
    given = obj or {"metadata": {"name": "x"}}
    return list(effects.stage_effects(stages.stage(spec), given, _renderer(), is_typed))


def _rendered(text: str, obj: Json | None = None) -> Any:
    return _renderer().json(text, obj or {})


def test_steps_are_done_in_order_and_only_events_follow_a_deletion() -> None:
    found = _effects(
        {
            "steps": [
                {"patch": {"template": "a: 1"}},
                {"delete": True},
                {"patch": {"template": "b: 1"}, "event": {"reason": "late"}},
            ]
        }
    )
    assert found == [Patch({"a": 1}, PatchType.MERGE), Delete(), SendEvent("", "late", "")]


@pytest.mark.parametrize(
    ("patch", "is_typed", "expected"),
    [
        ({"template": "a: 1"}, True, Patch({"a": 1}, PatchType.STRATEGIC)),
        ({"template": "a: 1", "type": "merge"}, True, Patch({"a": 1}, PatchType.MERGE)),
        (
            {"template": "a: 1", "root": "status", "subresource": "status"},
            False,
            Patch({"status": {"a": 1}}, PatchType.MERGE, "status"),
        ),
        (
            {"template": "- {op: add, path: /a, value: 1}", "root": "spec", "type": "json"},
            False,
            Patch([{"op": "add", "path": "/spec/a", "value": 1}], PatchType.JSON),
        ),
        (
            {"template": "a: 1", "impersonation": {"username": "u"}},
            False,
            Patch({"a": 1}, PatchType.MERGE, "", "u"),
        ),
    ],
)
def test_a_patch_has_its_type_and_root(patch: Json, is_typed: bool, expected: Patch) -> None:
    assert _effects({"steps": [{"patch": patch}]}, is_typed=is_typed) == [expected]


def test_an_object_is_applied_in_its_form() -> None:
    found = _effects({"steps": [{"apply": {"template": "kind: X", "type": "merge"}}]})
    assert found == [Apply({"kind": "X"}, PatchType.MERGE)]
    assert _effects({"steps": [{"apply": {"template": "kind: X"}}]}) == [Apply({"kind": "X"}, None)]


def test_a_json_patch_must_be_a_list() -> None:
    with pytest.raises(InputError, match="list of operations"):
        _effects({"steps": [{"patch": {"template": "a: 1", "type": "json"}}]})


def test_a_failing_template_comes_after_what_is_before_it() -> None:
    stage = stages.stage(
        {"steps": [{"event": {"reason": "r"}}, {"patch": {"template": "{{ .a.b.c }}"}}]}
    )
    found = effects.stage_effects(stage, {"a": {"b": "x"}}, _renderer(), is_typed=False)
    assert next(found) == SendEvent("", "r", "")
    with pytest.raises(InputError, match="can't evaluate field c"):
        next(found)


@pytest.mark.parametrize(
    ("present", "wanted", "expected"),
    [
        ([], {"add": ["a"]}, ["a"]),
        (["a"], {"add": ["a", "b"]}, ["a", "b"]),
        (["a", "b", "c"], {"remove": ["a", "c"]}, ["b"]),
        (["a"], {"remove": ["a"]}, None),
        (["a"], {"empty": True}, None),
        (["a"], {"empty": True, "add": ["b"]}, ["b"]),
        (["a"], {"remove": ["a"], "add": ["b"]}, ["b"]),
    ],
)
def test_finalizers_are_set_and_taken_away(
    present: list[str], wanted: Json, expected: list[str] | None
) -> None:
    wish = Finalizers(
        add=[FinalizerItem(value=each) for each in wanted.get("add", ())],
        remove=[FinalizerItem(value=each) for each in wanted.get("remove", ())],
        empty=wanted.get("empty", False),
    )
    obj = {"metadata": {"finalizers": present} if present else {}}
    operations = effects.finalizer_patch(present, wish)
    assert json_patch.apply(obj, operations)["metadata"].get("finalizers") == expected


_names = st.lists(st.sampled_from("abcd"), unique=True, max_size=4)


@given(_names, _names, _names, st.booleans())
def test_any_wish_about_finalizers_comes_true(
    present: list[str], added: list[str], removed: list[str], empty: bool
) -> None:
    wish = Finalizers(
        add=[FinalizerItem(value=each) for each in added],
        remove=[FinalizerItem(value=each) for each in removed],
        empty=empty,
    )
    obj = {"metadata": {"finalizers": present} if present else {}}
    result = json_patch.apply(obj, effects.finalizer_patch(present, wish))
    found = set(result["metadata"].get("finalizers") or ())
    kept = set() if empty else set(present) - set(removed)
    # KWOK does not add again what it has just removed from a list that stays.
    assert found | (set(added) & set(present) & set(removed)) >= kept | set(added)
    assert found <= kept | set(added)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: {{ Now }}", {"a": "2026-01-01T00:00:00.5Z"}),
        ("a: {{ StartTime }}", {"a": "2025-12-31T23:59:59.5Z"}),
        ("a: {{ NodeName }}-{{ NodePort }}-{{ NodeIP }}", {"a": "me-10247-10.0.0.1"}),
        ("a: {{ Quote 5 }}", {"a": "5"}),
        ("a: {{ Quote .n }}", {"a": "3"}),
        ("a: {{ Quote `x\"y` }}", {"a": 'x"y'}),
        ("a: {{ Quote .list }}", {"a": "[1,2]"}),
        ("a: {{ .n }}", {"a": 3}),
        ("a: {{ if .zero }}set{{ else }}unset{{ end }}", {"a": "set"}),
        ("a:\n{{ YAML .list 1 }}", {"a": [1, 2]}),
        ("{{ YAML .map }}", {"k": 1.5}),
        ("a: {{ dict `b` 1 | toJson }}", {"a": {"b": 1}}),
        ("a: {{ default `d` .none }}", {"a": "d"}),
        ("a: {{ NodeIPWith `both` }} {{ NodeIPsWith `both` | join ` ` }}",
         {"a": "10.0.0.7 10.0.0.7 fd00::7"}),
        ("a: {{ NodeIPWith `gone` }}", {"a": "10.0.0.1"}),
        ("a: {{ PodIPWith `plain` false `` `` `` }}", {"a": "10.0.0.2"}),
        ("a: {{ PodIPsWith `both` false `` `` `` | join ` ` }}", {"a": "10.8.0.1 fd00::1"}),
        ("a: {{ PodIPWith `both` true `` `` `` }}", {"a": "10.0.0.7"}),
        ("a: {{ len NodeConditions }}", {"a": 5}),
        ("{{/* nothing */}}", None),
    ],
)  # fmt: skip
def test_a_template_may_ask_what_kwok_offers(text: str, expected: Any) -> None:
    obj = {"n": 3, "zero": 0, "list": [1, 2], "map": {"k": 1.5}}
    assert _rendered(text, obj) == expected


def test_a_template_cannot_change_the_object() -> None:
    obj = {"metadata": {"labels": {"a": "b"}}}
    _rendered("{{ $_ := set .metadata.labels `a` `c` }}a: {{ .metadata.labels.a }}", obj)
    assert obj == {"metadata": {"labels": {"a": "b"}}}


@given(st.integers(0, 4 * 10**18))
def test_a_time_reads_back_as_the_same(time_ns: int) -> None:
    assert timestamps.parse_time(times.rfc3339_nano(time_ns)) == time_ns


def test_an_address_is_given_to_one_at_a_time() -> None:
    pool = Pool("10.0.0.1/24")
    pool.use("10.0.0.3")
    first, second = pool.take(), pool.take()
    assert (first, second) == ("10.0.0.2", "10.0.0.4")
    pool.give_back(first)
    pool.give_back("192.168.0.1")
    assert pool.take() == first
    assert pool.take() == "10.0.0.5"


def test_addresses_of_a_pod_come_back_when_it_goes() -> None:
    book = Addresses(_node)
    (address,) = book.for_pod("plain", host_network=False)
    pod = {"spec": {"nodeName": "plain"}, "status": {"podIP": address}}
    assert book.for_pod("plain", host_network=False) != [address]
    book.release(pod)
    assert book.for_pod("plain", host_network=False) == [address]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"t": "2026-01-01T00:00:00Z"}, {"t": "2026-01-01T00:00:09.5Z"}, True),
        ({"t": "2026-01-01T00:00:00Z"}, {"t": "later"}, False),
        ({"a": [1, 2]}, {"a": [1, 3]}, False),
        ({"a": None}, {}, True),
        ({"t": "2026-01-01T00:00:00Z"}, {}, False),
    ],
)
def test_only_times_may_differ_between_heartbeats(one: Json, other: Json, expected: bool) -> None:
    assert heartbeats.same_but_times(one, other) is expected
