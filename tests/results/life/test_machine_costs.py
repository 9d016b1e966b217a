"""Machines are paid for from launch to end, and by which price where two are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.cli import life_summary
from kubestage.objects.node_overlays import BILLED
from kubestage.results.life import comparison
from kubestage.testing import make_deployment
from tests.controllers.karpenter.lifecycle import stages
from tests.controllers.karpenter.lifecycle.test_overlays import about
from tests.objects.kinds.karpenter_samples import stage_node_class
from tests.results.life.living import ended, named, recorded
from tests.results.life.test_node_lives import followed, group

if TYPE_CHECKING:
    from kubestage import Stage
    from kubestage.aliases import Json
    from kubestage.results.life.life import Life

SECOND_NS = 10**9


def moments(stage: Stage, kind: tuple[str, str]) -> list[tuple[str, float]]:
    """When objects of a kind came and went, in seconds, in order."""
    found: list[tuple[str, float]] = []

    def take(change: Any) -> None:
        if change.type in ("ADDED", "DELETED"):
            found.append((change.type, stage.clock.now_ns / SECOND_NS))

    stage.store.subscribe(take, {(kind[0].rpartition("/")[0], kind[1])})
    return found


def paid_hours(life: Life) -> float:
    rows = life.rows("lifetimes")
    return float(sum(row["paidToSeconds"] - row["paidFromSeconds"] for row in rows)) / 3600


def test_a_node_of_karpenter_costs_from_the_launch_of_its_machine_until_that_is_gone() -> None:
    stage = stages.staged(
        stages.make_web(6), stage_class=stage_node_class(registrationDelay="100s")
    )
    recorder, claims, nodes = (
        followed(stage),
        moments(stage, stages.CLAIM),
        moments(stage, stages.NODE),
    )
    stages.run(stage, 600)
    stages.scale(stage, 0)
    stages.run(stage, 600)
    (made, gone), (came, went) = ([at for _, at in each] for each in (claims, nodes))
    assert came == pytest.approx(made + 100)
    assert went <= gone
    life = ended(recorder)
    (row,) = life.rows("lifetimes")
    assert (row["fromSeconds"], row["toSeconds"]) == pytest.approx((came, went))
    assert (row["paidFromSeconds"], row["paidToSeconds"]) == pytest.approx((made, gone))
    assert life.summary["cost"] == pytest.approx(0.4 * (gone - made) / 3600, abs=2e-6)
    assert life.summary["costs"]["perHourAtEnd"] == 0
    assert life.summary["costs"]["perHourHighest"] == 0.4
    assert named(life.rows("spending"), "by", "pool")["name"] == "default"


def test_a_machine_that_is_being_launched_is_in_the_cost_per_hour() -> None:
    stage = stages.staged(
        stages.make_web(6), stage_class=stage_node_class(registrationDelay="100s")
    )
    recorder = followed(stage)
    stages.run(stage, 50)
    life = ended(recorder)
    assert life.summary["nodes"]["atEnd"] == 0
    assert life.summary["costs"]["perHourAtEnd"] == 0.4
    assert life.summary["costs"]["idle"] == life.summary["cost"] > 0


def test_a_machine_of_karpenter_that_never_registers_costs_until_it_is_given_up() -> None:
    stage = stages.staged(stages.make_web(6), stage_class=stage_node_class(registrationDelay="2h"))
    recorder, claims = followed(stage), moments(stage, stages.CLAIM)
    stages.run(stage, 3600)
    life = ended(recorder)
    open_at = [at for kind, at in claims if kind == "ADDED"]
    gone_at = [at for kind, at in claims if kind == "DELETED"]
    assert len(open_at) > len(gone_at) >= 3
    gone_at += [3600.0] * (len(open_at) - len(gone_at))
    seconds = sum(end - begin for begin, end in zip(open_at, gone_at, strict=True))
    assert life.summary["cost"] == pytest.approx(0.4 * seconds / 3600, abs=2e-6)
    assert life.rows("lifetimes") == []


def grown(**spec: str) -> Life:
    """An hour in which two web pods need a node each of a group, and go after half an hour."""
    stage, recorder = recorded(group(**spec), make_deployment("web", replicas=2, cpu="1500m"))
    stage.run("30m")
    stages.scale(stage, 0)
    stage.run("30m")
    return ended(recorder)


def test_a_machine_of_a_group_costs_from_its_request_on() -> None:
    early, late = grown(provisionDelay="30s"), grown(provisionDelay="150s")
    for life, delay in ((early, 30), (late, 150)):
        rows = life.rows("lifetimes")
        assert [row["fromSeconds"] - row["paidFromSeconds"] for row in rows] == [delay] * 2
        assert [row["paidToSeconds"] for row in rows] == [row["toSeconds"] for row in rows]
        assert life.summary["cost"] == pytest.approx(0.5 * paid_hours(life), abs=2e-6)


def test_a_node_that_becomes_ready_later_costs_from_the_request_of_its_machine_on() -> None:
    life = grown(provisionDelay="30s", readyDelay="120s")
    assert [row["fromSeconds"] - row["paidFromSeconds"] for row in life.rows("lifetimes")] == [
        30, 30,
    ]  # fmt: skip
    assert life.summary["cost"] == pytest.approx(0.5 * paid_hours(life), abs=2e-6)


@pytest.mark.parametrize(
    ("shortage", "is_paid"),
    [("never", True), ("absent", False), ("error", False), ("refuse", False)],
)
def test_machines_that_never_register_cost_only_if_they_run(
    shortage: str, *, is_paid: bool
) -> None:
    stage, recorder = recorded(
        group(available=0, shortage=shortage), make_deployment("web", replicas=1, cpu="1500m")
    )
    stage.run("10m")
    life = ended(recorder)
    assert life.summary["nodes"]["highest"] == 0
    # It is requested in the first scan after the pod is two seconds old.
    expected = 0.5 * (600 - 10) / 3600 if is_paid else 0
    assert (life.summary["cost"] or 0) == pytest.approx(expected, rel=0.01)


def test_a_machine_that_is_given_up_costs_no_more() -> None:
    stage, recorder = recorded(
        group(available=0, shortage="never"), make_deployment("web", replicas=1, cpu="1500m")
    )
    stage.run("5m")
    stages.scale(stage, 0)
    stage.run("25m")
    life = ended(recorder)
    assert life.summary["costs"]["perHourAtEnd"] == 0
    assert 0.5 * 14 / 60 < life.summary["cost"] < 0.5 * 17 / 60


def overlaid(**spec: Any) -> Life:
    """An hour with one node, whose price an overlay changes for Karpenter."""
    overlay = about("cheap", "large", **spec)
    return lived(overlay)


def lived(*overlays: Json, node_overlay: bool = True) -> Life:
    stage = stages.staged(stages.make_web(6), *overlays, node_overlay=node_overlay)
    recorder = followed(stage)
    stages.run(stage, 3600)
    return ended(recorder)


def billed(overlay: Json) -> Json:
    return {**overlay, "metadata": {**overlay["metadata"], "annotations": {BILLED: "true"}}}


def test_the_bill_is_that_of_the_catalogue_and_what_karpenter_decides_with_is_beside_it() -> None:
    plain, life = lived(), overlaid(priceAdjustment="-25%")
    assert life.summary["cost"] == plain.summary["cost"] > 0
    decided = life.summary["costs"]["decided"]
    assert decided == pytest.approx(0.75 * life.summary["cost"], rel=1e-4)
    (row,) = life.rows("lifetimes")
    assert (row["perHour"], row["overlaidPerHour"]) == pytest.approx((0.4, 0.3))
    spent = named(life.rows("spending"), "by", "by NodeOverlays")
    assert (spent["cost"], spent["share"]) == (decided, pytest.approx(0.75, rel=1e-4))
    (launched,) = [each for each in life.rows("node-decisions") if each["decision"] == "launched"]
    assert launched["price"] == pytest.approx(0.3)
    sentence = life_summary.cost_sentence(life.summary)
    assert sentence.endswith("At the prices that Karpenter decided with, by NodeOverlays: $0.2999.")


def test_an_overlay_that_is_marked_as_billed_is_a_discount() -> None:
    plain, life = lived(), lived(billed(about("cheap", "large", priceAdjustment="-25%")))
    assert life.summary["cost"] == pytest.approx(0.75 * plain.summary["cost"], rel=1e-4)
    assert life.summary["costs"]["decided"] is None
    (row,) = life.rows("lifetimes")
    assert (row["perHour"], row["overlaidPerHour"]) == (pytest.approx(0.3), None)
    assert "NodeOverlays" not in life_summary.cost_sentence(life.summary)


def test_a_discount_is_billed_also_if_karpenter_does_not_know_of_it() -> None:
    plain = lived()
    overlay = billed(about("cheap", "large", priceAdjustment="-25%"))
    life = lived(overlay, node_overlay=False)
    assert life.summary["cost"] == pytest.approx(0.75 * plain.summary["cost"], rel=1e-4)
    assert life.summary["costs"]["decided"] == plain.summary["cost"]


def test_without_the_gate_an_overlay_changes_no_price() -> None:
    life = lived(about("cheap", "large", price="0.01"), node_overlay=False)
    assert life.summary["costs"]["decided"] is None


def test_the_heaviest_overlay_counts() -> None:
    heavy = about("a", "large", price="0.2", weight=10)
    light = about("b", "large", price="0.1", weight=1)
    (row,) = lived(heavy, light).rows("lifetimes")
    assert row["overlaidPerHour"] == 0.2


def test_compared_runs_show_both_prices_where_they_differ() -> None:
    plain, life = lived(), overlaid(priceAdjustment="-25%")
    found = {each.name: each for each in comparison.measures([plain.summary, life.summary])}
    costs, decided = found["cost"].values, found["overlaidCost"].values
    assert costs[0] == costs[1] == decided[0]
    assert decided[1] == life.summary["costs"]["decided"]
    same = comparison.measures([plain.summary, plain.summary])
    assert "overlaidCost" not in {each.name for each in same}
