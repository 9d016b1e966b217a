"""Why no node comes, or nothing costs anything, is said below the tables of a run."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

import pytest

from tests.controllers.karpenter.lifecycle.stages import catalog, make_web, on_demand
from tests.controllers.karpenter.lifecycle.test_overlays import about
from tests.objects.kinds.karpenter_samples import (
    ec2_node_class,
    node_pool,
    stage_node_class,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Terminal


def _noted(terminal: Terminal, *objects: Json, options: tuple[str, ...] = ()) -> list[str]:
    """The notes of two minutes with these objects and pods that need a node."""
    text = "\n---\n".join(map(json.dumps, [make_web(2), *objects]))
    pathlib.Path("cluster.yaml").write_text(text)
    done = terminal.run("run", "cluster.yaml", "--for", "2m", *options)
    assert done.code == 0
    return [line.removeprefix("Note: ") for line in done.err.splitlines()]


def _of_class(**reference: str) -> Json:
    pool = on_demand()
    pool["spec"]["template"]["spec"]["nodeClassRef"] = reference
    return pool


def test_what_works_is_not_noted(terminal: Terminal) -> None:
    assert _noted(terminal, catalog(), stage_node_class(), on_demand()) == []


def test_a_class_that_is_missing(terminal: Terminal) -> None:
    pool = _of_class(group="kubestage.dev", kind="StageNodeClass", name="missing")
    assert _noted(terminal, catalog(), pool) == [
        'NodePool default makes no nodes: there is no StageNodeClass "missing"'
    ]


def test_a_class_of_another_provider(terminal: Terminal) -> None:
    pool = _of_class(group="karpenter.azure.com", kind="AKSNodeClass", name="default")
    (note,) = _noted(terminal, catalog(), pool)
    assert note == (
        "NodePool default is left alone: AKSNodeClass is the class of another provider; "
        "have it name a StageNodeClass"
    )


def test_instance_types_that_are_missing(terminal: Terminal) -> None:
    assert _noted(terminal, stage_node_class(), on_demand()) == [
        "Karpenter has no instance types to choose from: name some, as in --catalogue aws-us-east-1"
    ]


def test_a_catalogue_that_the_class_names_and_that_is_missing(terminal: Terminal) -> None:
    (note,) = _noted(terminal, catalog(), stage_node_class(catalog="none"), on_demand())
    assert note == (
        'StageNodeClass default has no instance types: there is no PriceCatalog "none"; '
        "name its file with --catalogue"
    )


def test_zones_in_which_there_is_nothing(terminal: Terminal) -> None:
    (note,) = _noted(terminal, catalog(), stage_node_class(zones=["mars", "b2"]), on_demand())
    assert note == (
        "StageNodeClass default has no instance types: there are none in its zones: mars, b2"
    )


def test_requirements_that_cannot_be_met(terminal: Terminal) -> None:
    pool = node_pool()
    key = "karpenter.sh/capacity-type"
    wanted = {"key": key, "operator": "In", "values": ["on-demnd"]}
    pool["spec"]["template"]["spec"]["requirements"] = [wanted]
    (note,) = _noted(terminal, catalog(), stage_node_class(), pool)
    assert note.startswith("NodePool default makes no nodes: invalid value: no valid values found")


def test_a_second_currency(terminal: Terminal) -> None:
    other = catalog(currency="EUR")
    other["metadata"]["name"] = "a-first"
    objects = (other, catalog(), stage_node_class(), on_demand())
    assert _noted(terminal, *objects) == ["prices of types are ignored: their currency is not EUR"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), "Karpenter does not look at NodeOverlays (dear): add --setting karpenter."),
        (
            ("--setting", "karpenter.node-overlay=true"),
            "NodeOverlay dear has no effect: ",
        ),
    ],
)
def test_overlays_without_effect(
    terminal: Terminal, options: tuple[str, ...], expected: str
) -> None:
    overlay: Any = about("dear", "small", price="9")
    wrong = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demnd"]}
    overlay["spec"]["requirements"].append(wrong)
    notes = _noted(terminal, catalog(), stage_node_class(), on_demand(), overlay, options=options)
    assert [note.startswith(expected) for note in notes] == [True]


WRONG = {
    "an amount": (
        [{"name": "a", "capacity": {"cpu": "4x"}, "offerings": [{"price": 1}]}],
        "types.json: [0].capacity.cpu: '4x': quantities must match",
    ),
    "a price": (
        [{"name": "a", "capacity": {"cpu": 4}, "offerings": [{"price": "dear"}]}],
        "types.json: [0].offerings[0].price: expected `float`, got `str`",
    ),
    "a field": (
        [{"nam": "a"}],
        "types.json: [0].instanceType: Required value; 2 more like that",
    ),
    "another kind": (
        {"apiVersion": "v1", "kind": "Pod"},
        "types.json: --catalogue: is no price catalog",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_catalogue_that_is_wrong(what: str, terminal: Terminal) -> None:
    content, problem = WRONG[what]
    pathlib.Path("types.json").write_text(json.dumps(content))
    pathlib.Path("cluster.yaml").write_text(json.dumps(on_demand()))
    done = terminal.run("run", "cluster.yaml", "--catalogue", "types.json", "--for", "5m")
    assert (done.code, done.out) == (2, "")
    assert problem in done.err


def test_an_overlay_that_is_billed_says_true_or_false(terminal: Terminal) -> None:
    overlay = about("cheap", "small", price="0.01")
    overlay["metadata"]["annotations"] = {"kubestage.dev/billed": "yes"}
    pathlib.Path("cluster.yaml").write_text(json.dumps(overlay))
    done = terminal.run("run", "cluster.yaml", "--for", "5m")
    assert (done.code, done.out) == (2, "")
    assert "metadata.annotations[kubestage.dev/billed]: 'yes' is neither true nor" in done.err


def test_types_of_aws_where_nothing_names_others(terminal: Terminal) -> None:
    named = "instance types and prices are those of aws-us-east-1, spot prices an assumption: "
    assert _noted(terminal, ec2_node_class(), _of_aws()) == [f"{named}--catalogue names others"]
    assert _noted(terminal, ec2_node_class(), _of_aws(), catalog()) == []


def test_a_budget_whose_schedule_cannot_be_read(terminal: Terminal) -> None:
    pool = on_demand()
    budget = {"nodes": "10%", "schedule": "61 * * * *", "duration": "1h"}
    disruption = pool["spec"].setdefault("disruption", {"consolidateAfter": "0s"})
    disruption["budgets"] = [{"nodes": "1"}, budget]
    (note,) = _noted(terminal, catalog(), stage_node_class(), pool)
    assert note == (
        "NodePool default: nothing is disrupted: spec.disruption.budgets[1]: invariant violated, "
        "invalid cron, end of range (61) above maximum (59): 61"
    )


def test_limits_that_leave_no_room_however_long_the_run(terminal: Terminal) -> None:
    pool = on_demand()
    pool["spec"]["limits"] = {"cpu": 0}
    told = (
        "Karpenter makes no node for 2 pods: all available instance types exceed limits for "
        "nodepool (NodePool=default)"
    )
    objects = (catalog(), stage_node_class(), pool)
    assert _noted(terminal, *objects) == [told]
    # An Event lasts for an hour unless it is repeated.
    assert _noted(terminal, *objects, options=("--for", "3h")) == [told]


def test_pods_for_which_no_instance_type_is_large_enough(terminal: Terminal) -> None:
    huge = make_web(1, name="huge", cpu="9000")
    (note,) = _noted(terminal, catalog(), stage_node_class(), on_demand(), huge)
    assert note == "Karpenter makes no node for 1 pod: no instance type has enough resources"


def _of_aws() -> Json:
    return _of_class(group="karpenter.k8s.aws", kind="EC2NodeClass", name="default")
