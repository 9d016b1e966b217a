"""Taints and tolerations: recorded cases, and what holds for all of them."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects import taints
from kubestage.objects.taints import Taint, Toleration
from tests.golden import vectors

KEYS = st.sampled_from(("", "a", "b"))
VALUES = st.sampled_from(("", "1", "2"))
EFFECTS = st.sampled_from(("", taints.NO_SCHEDULE, taints.NO_EXECUTE))
TAINTS = st.lists(st.builds(Taint, KEYS, VALUES, EFFECTS), max_size=3)
OPERATORS = st.sampled_from(("", "Equal", "Exists", "Lt", "Gt", "Bogus"))
TOLERATIONS = st.lists(st.builds(Toleration, KEYS, OPERATORS, VALUES, EFFECTS), max_size=3)


def test_recorded_tolerations_agree_with_the_api() -> None:
    entries = vectors.load("selectors", "toleratesTaint")
    wrong = [
        entry["id"]
        for entry in entries
        if taints.toleration_of(entry["in"]["toleration"]).tolerates(
            taints.taint_of(entry["in"]["taint"]), entry["in"]["enableComparisonOperators"]
        )
        != entry["out"]
    ]
    assert entries
    assert not wrong


def _find(given_in: dict[str, Any]) -> dict[str, Any]:
    found = taints.find_untolerated_taint(
        [taints.taint_of(item) for item in given_in["taints"] or ()],
        [taints.toleration_of(item) for item in given_in["tolerations"] or ()],
        given_in.get("effects"),
    )
    if found is None:
        return {"untolerated": False}
    shown = {"key": found.key, "value": found.value, "effect": found.effect}
    taint = {name: text for name, text in shown.items() if text or name != "value"}
    return {"untolerated": True, "taint": taint, "string": str(found)}


def test_recorded_untolerated_taints_agree_with_the_scheduler() -> None:
    entries = vectors.load("selectors", "findUntoleratedTaint")
    assert entries
    assert not [entry["id"] for entry in entries if _find(entry["in"]) != entry["out"]]


@given(TAINTS, TOLERATIONS, TOLERATIONS, st.booleans())
def test_more_tolerations_never_tolerate_less(
    node_taints: list[Taint], some: list[Toleration], more: list[Toleration], gate: bool
) -> None:
    if taints.find_untolerated_taint(node_taints, some, None, gate) is None:
        assert taints.find_untolerated_taint(node_taints, [*some, *more], None, gate) is None


@given(TAINTS, TOLERATIONS)
def test_a_taint_that_is_found_is_tolerated_by_nothing(
    node_taints: list[Taint], tolerations: list[Toleration]
) -> None:
    found = taints.find_untolerated_taint(node_taints, tolerations)
    if found is not None:
        assert not taints.tolerates_taint(tolerations, found)
        assert found in node_taints


@given(TAINTS)
def test_an_empty_exists_toleration_tolerates_everything(node_taints: list[Taint]) -> None:
    assert taints.find_untolerated_taint(node_taints, [Toleration(operator="Exists")]) is None


def test_comparison_operators_need_their_gate() -> None:
    toleration = Toleration("cost", "Lt", "10")
    taint = Taint("cost", "5", taints.NO_SCHEDULE)
    assert not toleration.tolerates(taint)
    assert toleration.tolerates(taint, enable_comparison_operators=True)


def test_taints_are_written_as_kubectl_writes_them() -> None:
    assert [
        str(Taint("k")),
        str(Taint("k", "v")),
        str(Taint("k", "", "NoSchedule")),
        str(Taint("k", "v", "NoSchedule")),
    ] == ["k", "k=v:", "k:NoSchedule", "k=v:NoSchedule"]
