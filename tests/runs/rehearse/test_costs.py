"""What rehearsals cost, computed by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage import InputError
from kubestage.runs import rehearse
from kubestage.runs.fit import advise
from kubestage.runs.rehearse import DrainOptions, GrowOptions, SurveyOptions, UpgradeOptions
from kubestage.testing import make_deployment, make_node, make_pod
from tests.runs.rehearse.clusters import cluster

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json
    from kubestage.runs.rehearse import Cluster

TYPE = "node.kubernetes.io/instance-type"


def catalog(*entries: Json) -> Json:
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "PriceCatalog",
        "metadata": {"name": "prices"},
        "spec": {"currency": "EUR", "prices": list(entries)},
    }


def priced(*objects: Json) -> Cluster:
    """Two nodes of 4 cores for 0.20 an hour, and a third, twice as large, for 0.50."""
    small = [make_node(name, cpu="4", memory="16Gi", labels={TYPE: "small"}) for name in "ab"]
    large = make_node("c", cpu="8", memory="32Gi", labels={TYPE: "large"})
    prices = catalog(
        {"instanceType": "small", "price": 0.2, "resources": {"cpu": "4", "memory": "16Gi"}},
        {"instanceType": "large", "price": 0.5, "resources": {"cpu": "8", "memory": "32Gi"}},
        {"instanceType": "tiny", "price": 0.06, "resources": {"cpu": "1", "memory": "4Gi"}},
        {"instanceType": "bare", "price": 0.01},
    )
    return cluster(prices, *small, large, *objects)


def test_growth_has_the_cost_of_nodes_the_cheapest_first() -> None:
    # 16 cores are there and all are used: 8 more are 2 small nodes or 1 large one.
    result = rehearse.grow(priced(make_deployment("web", replicas=16, cpu="1")), "web=+8")
    found = [(each.template, each.nodes, each.cost_per_hour) for each in result.enough]
    assert found == [("a", 2, 0.4), ("c", 1, 0.5)]
    assert result.answer == (
        "With web=+8, 8 pods have no room on the nodes that are there; 2 more nodes like a "
        "(+€0.40 per hour) or 1 more node like c (+€0.50 per hour) are enough."
    )
    assert result.values()["addedCostPerHour"] == 0.4


def test_growth_with_types_of_the_catalog() -> None:
    options = GrowOptions(instance_type=("tiny", "s*"))
    result = rehearse.grow(priced(make_deployment("web", replicas=16, cpu="1")), "web=+8", options)
    found = [(each.template, each.nodes, each.cost_per_hour) for each in result.enough]
    assert found == [("small", 2, 0.4), ("tiny", 8, 0.48)]


def test_growth_with_a_file_of_prices(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "prices.csv"
    file.write_text("instance_type,capacity_type,price,cpu,memory\nx,spot,0.05,8,16Gi\n")
    options = GrowOptions(instance_type=("x",), prices=str(file))
    result = rehearse.grow(priced(make_deployment("web", replicas=16, cpu="1")), "web=+8", options)
    (enough,) = result.enough
    assert (enough.template, enough.nodes, enough.cost_per_hour) == ("x (spot)", 1, 0.05)


@pytest.mark.parametrize(
    ("pattern", "fix"),
    [("smal", "did you mean small?"), ("zzz.*", "write it as in m6i.large or 'm6i.*'")],
)
def test_a_type_that_the_catalog_does_not_have(pattern: str, fix: str) -> None:
    stage = priced(make_deployment("web", replicas=16, cpu="1"))
    with pytest.raises(InputError, match="no type of the catalog") as caught:
        rehearse.grow(stage, "web=+8", GrowOptions(instance_type=(pattern,)))
    assert (caught.value.path, caught.value.fix) == ("--instance-type", fix)


def test_a_type_without_a_catalog() -> None:
    stage = cluster(make_node("a", cpu="1"), make_deployment("web", replicas=1, cpu="1"))
    with pytest.raises(InputError, match="there is no price catalog"):
        rehearse.grow(stage, "web=+1", GrowOptions(instance_type=("m5.large",)))


def test_an_upgrade_costs_the_nodes_that_it_adds() -> None:
    options = UpgradeOptions(surge=1, fail_if="costPerHour>0.8")
    result = rehearse.upgrade(priced(), "all", options)
    cost = result.to_dict()["cost"]
    assert (cost["perHourAtStart"], cost["perHourHighest"], cost["perHourAtEnd"]) == (0.9, 1.4, 0.9)
    assert cost["currency"] == "EUR"
    (section,) = [each for each in result.sections() if each.title == "Cost of all nodes"]
    assert section.rows == [("before", "€0.90"), ("at most", "€1.40"), ("after", "€0.90")]
    assert result.has_failed


def test_a_drain_costs_no_more_than_before() -> None:
    result = rehearse.drain(priced(), "a", DrainOptions())
    assert "Cost of all nodes" not in {each.title for each in result.sections()}
    assert rehearse.drain(cluster(make_node("a")), "a").to_dict()["cost"] is None


def test_a_condition_on_cost_needs_prices() -> None:
    with pytest.raises(InputError, match="no node has a price") as caught:
        rehearse.drain(cluster(make_node("a")), "a", DrainOptions(fail_if="costPerHour>1"))
    assert caught.value.path == "--fail-if"


def test_a_survey_ends_with_the_cost() -> None:
    result = rehearse.survey(priced(), SurveyOptions(drains=1))
    (finding,) = [each for each in result.findings if each.rehearsal == "cost"]
    assert finding.severity == "info"
    assert finding.text == (
        "3 nodes cost €0.90 per hour; 100% of it is idle. "
        "2 nodes could be removed, which saves €0.40 per hour."
    )


def test_a_new_node_that_would_make_a_pod_fit_has_its_price() -> None:
    full = priced(make_deployment("web", replicas=16, cpu="1"))
    advice = advise(full.stage, make_pod("more", cpu="2"))
    assert "add one node like a (€0.20 per hour)" in [each.text for each in advice.changes]
