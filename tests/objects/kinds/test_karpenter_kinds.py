"""NodePools, NodeClaims, NodeOverlays, EC2NodeClasses and StageNodeClasses as the API has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import BadRequest, Invalid
from kubestage.objects import own_definitions
from kubestage.objects.custom import decoding, rows
from kubestage.objects.kinds import built_in
from kubestage.objects.tables import custom, printers
from kubestage.stage import Stage
from tests.objects.kinds.karpenter_samples import (
    ec2_node_class,
    node_claim,
    node_overlay,
    node_pool,
    stage_node_class,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json

POOL = ("karpenter.sh/v1", "NodePool")
PLURALS = {
    ("karpenter.k8s.aws/v1", "EC2NodeClass"): "ec2nodeclasses",
    ("karpenter.sh/v1", "NodeClaim"): "nodeclaims",
    ("karpenter.sh/v1", "NodePool"): "nodepools",
    ("karpenter.sh/v1alpha1", "NodeOverlay"): "nodeoverlays",
    ("kubestage.dev/v1alpha1", "StageNodeClass"): "stagenodeclasses",
}


def refusal(obj: Json) -> str:
    with pytest.raises(Invalid) as found:
        Stage().store.create(obj)
    return str(found.value)


def pool_requiring(*requirements: Json) -> Json:
    pool = node_pool()
    pool["spec"]["template"]["spec"]["requirements"] = list(requirements)
    return pool


@pytest.mark.parametrize(("kind", "plural"), PLURALS.items())
def test_the_names_and_columns_are_those_of_the_definition(
    kind: tuple[str, str], plural: str
) -> None:
    row, definition = built_in(*kind), own_definitions.definition(plural)
    assert row is not None
    names, (version,) = definition["spec"]["names"], definition["spec"]["versions"]
    assert definition["metadata"]["name"] == row.resource
    assert (row.kind, row.plural, row.singular) == (kind[1], plural, names["singular"])
    assert row.short_names == tuple(names.get("shortNames") or ())
    assert row.categories == tuple(names["categories"]) == ("karpenter",)
    assert row.subresources == frozenset(version["subresources"])
    assert not row.namespaced
    stated = [{"priority": 0, **each} for each in version["additionalPrinterColumns"]]
    assert custom.OWN[kind] == stated


def test_a_pool_gets_the_defaults_of_its_definition() -> None:
    spec = Stage().store.create(node_pool())["spec"]
    assert spec["disruption"] == {
        "consolidateAfter": "0s",
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
        "budgets": [{"nodes": "10%"}],
    }
    assert spec["template"]["spec"]["expireAfter"] == "720h"
    never = node_pool(disruption={"consolidateAfter": "Never", "budgets": [{}]})
    assert Stage().store.create(never)["spec"]["disruption"]["budgets"] == [{"nodes": "10%"}]


def test_claims_and_classes_get_theirs() -> None:
    store = Stage().store
    assert store.create(node_claim())["spec"]["expireAfter"] == "720h"
    assert store.create(ec2_node_class())["spec"]["metadataOptions"] == {
        "httpEndpoint": "enabled",
        "httpProtocolIPv6": "disabled",
        "httpPutResponseHopLimit": 1,
        "httpTokens": "required",
    }


@pytest.mark.parametrize(
    ("pool", "problem"),
    [
        (
            pool_requiring({"key": "karpenter.sh/nodepool", "operator": "Exists"}),
            (
                'spec.template.spec.requirements[0].key: Invalid value: "karpenter.sh/nodepool": '
                'label "karpenter.sh/nodepool" is restricted'
            ),
        ),
        (
            pool_requiring({"key": "kubernetes.io/hostname", "operator": "Exists"}),
            'label "kubernetes.io/hostname" is restricted',
        ),
        (
            pool_requiring({"key": "a", "operator": "In", "values": []}),
            (
                "spec.template.spec.requirements: Invalid value: requirements with operator 'In' "
                "must have a value defined"
            ),
        ),
        (
            pool_requiring({"key": "a", "operator": "In", "values": ["x"], "minValues": 2}),
            "requirements with 'minValues' must have at least that many values specified",
        ),
        (
            pool_requiring({"key": "a", "operator": "Like", "values": ["x"]}),
            (
                'spec.template.spec.requirements[0].operator: Unsupported value: "Like": supported '
                'values: "Gte", "Lte", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"'
            ),
        ),
        (
            node_pool(disruption={"consolidateAfter": "0s", "budgets": [{"schedule": "@daily"}]}),
            "spec.disruption.budgets: Invalid value: 'schedule' must be set with 'duration'",
        ),
        (
            node_pool(disruption={"consolidateAfter": "soon"}),
            (
                'spec.disruption.consolidateAfter: Invalid value: "soon": '
                "spec.disruption.consolidateAfter in body should match '^(([0-9]+(s|m|h))+|Never)$'"
            ),
        ),
        (node_pool(disruption={}), "spec.disruption.consolidateAfter: Required value"),
        (node_pool(weight=0), "spec.weight: Invalid value: 0"),
        (
            node_pool(replicas=2, weight=3),
            "spec: Invalid value: 'weight' is not supported on static NodePools",
        ),
        (
            node_pool(replicas=2, limits={"cpu": "3"}),
            "spec: Invalid value: only 'limits.nodes' is supported on static NodePools",
        ),
    ],
)
def test_a_pool_is_refused_in_the_words_of_its_definition(pool: Json, problem: str) -> None:
    assert problem in refusal(pool)


def test_only_what_stays_of_a_pool_may_change() -> None:
    store = Stage().store
    store.create(node_pool())
    store.patch(POOL, "default", {"spec": {"weight": 7}})
    with pytest.raises(Invalid, match="Cannot transition NodePool between static"):
        store.patch(POOL, "default", {"spec": {"replicas": 1, "weight": None}})
    ref = {"spec": {"template": {"spec": {"nodeClassRef": {"kind": "Other"}}}}}
    with pytest.raises(Invalid, match=r"nodeClassRef\.kind is immutable"):
        store.patch(POOL, "default", ref)


def test_a_claim_is_immutable() -> None:
    store = Stage().store
    store.create(node_claim())
    change = {"spec": {"resources": {"requests": {"cpu": "1"}}}}
    with pytest.raises(Invalid, match="spec: Invalid value: spec is immutable"):
        store.patch(("karpenter.sh/v1", "NodeClaim"), "default-1", change)
    labelled = {"metadata": {"labels": {"a": "b"}}}
    store.patch(("karpenter.sh/v1", "NodeClaim"), "default-1", labelled)


@pytest.mark.parametrize(
    ("overlay", "problem"),
    [
        (node_overlay(price="1", priceAdjustment="+1"), "cannot set both 'price'"),
        (node_overlay(price="1e10"), 'spec.price: Invalid value: "1e10"'),
        (node_overlay(priceAdjustment="1%"), "spec.priceAdjustment: Invalid value"),
        (node_overlay(priceAdjustment="-101%"), "spec.priceAdjustment: Invalid value"),
        (node_overlay(capacity={"cpu": "1"}), "spec.capacity: Invalid value: invalid resource"),
    ],
)
def test_an_overlay_is_refused_in_the_words_of_its_definition(overlay: Json, problem: str) -> None:
    assert problem in refusal(overlay)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"instanceProfile": "p"}, "must specify exactly one of ['role', 'instanceProfile']"),
        ({"subnetSelectorTerms": []}, "subnetSelectorTerms cannot be empty"),
        ({"amiSelectorTerms": [{"id": "ami-1"}]}, "must specify amiFamily if amiSelectorTerms"),
        ({"amiFamily": "AL2"}, "if set, amiFamily must be 'AL2023' or 'Custom' when using an"),
        ({"tags": {"karpenter.sh/nodepool": "x"}}, "matching karpenter.sh/nodepool"),
    ],
)
def test_a_class_of_aws_is_refused_in_the_words_of_its_definition(spec: Json, problem: str) -> None:
    assert problem in refusal(ec2_node_class(**spec))


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"registrationDelay": "soon"}, "spec.registrationDelay: Invalid value"),
        ({"spot": {"notice": "-2m"}}, "spec.spot.notice: Invalid value"),
        ({"spot": {"interruptions": [{"at": "noon"}]}}, "interruptions[0].at: Invalid value"),
        ({"insufficientCapacity": [{"probability": 2}]}, "probability: Invalid value: 2"),
        (
            {"insufficientCapacity": [{"from": "3h", "until": "1h"}]},
            'insufficientCapacity[0].until: Invalid value: "1h": must be after its beginning, 3h',
        ),
        (
            {"insufficientCapacity": [{"until": "0s"}]},
            'insufficientCapacity[0].until: Invalid value: "0s": must be after its beginning, 0s',
        ),
        ({"spot": {"interruptionsPerHour": 1e308}}, "interruptionsPerHour: Invalid value"),
        ({"overhead": {"cpu": "much"}}, "spec.overhead.cpu: Invalid value"),
        ({"zone": ["a"]}, "spec.zone: Forbidden: unknown field; did you mean zones?"),
    ],
)
def test_a_class_of_a_stage_is_refused_with_its_place(spec: Json, problem: str) -> None:
    assert problem in refusal(stage_node_class(**spec))


def test_a_class_of_a_stage_may_say_nothing_or_all() -> None:
    Stage().store.create(stage_node_class())
    missing = {"zones": ["a"], "instanceTypes": ["m5.*"], "from": "1h", "until": "2h",
               "capacityTypes": ["spot"], "probability": 0.5}  # fmt: skip
    spot = {"interruptionsPerHour": 0.1, "notice": "2m", "interruptions": [{"at": "1h"}]}
    Stage().store.create(
        stage_node_class(
            catalog="aws-us-east-1", zones=["a"], overhead={"cpu": "100m"}, maxPods=20,
            registrationDelay="normal(40s,8s)", initializationDelay="5s",
            removesStartupTaints=False, insufficientCapacity=[missing], spot=spot,
        )
    )  # fmt: skip


def test_fields_that_are_not_known_go_and_a_strict_client_hears_of_them() -> None:
    pool = node_pool(wieght=1)
    assert "wieght" not in Stage().store.create(pool)["spec"]
    row = built_in(*POOL)
    assert row is not None
    with pytest.raises(BadRequest, match=r'strict decoding error: unknown field "spec\.wieght"'):
        decoding.decode(pool, row, "Strict")


def test_status_is_apart_and_replicas_can_be_scaled() -> None:
    store = Stage().store
    created = store.create({**node_pool(replicas=2), "status": {"nodes": 9}})
    assert "status" not in created
    store.patch(POOL, "default", {"status": {"nodes": 2}}, subresource="status")
    scale = store.get(POOL, "default", subresource="scale")
    assert (scale["spec"], scale["status"]) == ({"replicas": 2}, {"replicas": 2})
    store.patch(POOL, "default", {"spec": {"replicas": 5}}, subresource="scale")
    pool = store.get(POOL, "default")
    assert (pool["spec"]["replicas"], pool["status"]["nodes"]) == (5, 2)
    assert pool["metadata"]["generation"] == 2


def test_the_definition_of_a_user_takes_nothing_away() -> None:
    store = Stage().store
    store.create(node_pool("before"))
    theirs = own_definitions.definition("nodepools")
    store.create(theirs)
    assert rows.is_established(store.get(*_DEFINITION))
    assert store.create(node_pool("after"))["spec"]["disruption"]["consolidateAfter"] == "0s"
    with pytest.raises(Invalid, match=r"spec\.weight"):
        store.create(node_pool("bad", weight=0))
    assert [each["metadata"]["name"] for each in store.list(POOL).items] == ["after", "before"]
    store.patch(POOL, "before", {"metadata": {"labels": {"a": "b"}}})


_DEFINITION: Any = (
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    "nodepools.karpenter.sh",
)


def test_the_rows_of_a_table_show_what_a_definition_shows() -> None:
    stage = Stage()
    stage.store.create(node_pool(weight=5))
    condition = {"type": "Ready", "status": "True", "reason": "Ready", "message": "",
                 "lastTransitionTime": "2026-01-01T00:00:00Z"}  # fmt: skip
    status = {"nodes": 3, "conditions": [condition], "resources": {"cpu": "8", "memory": "16Gi"}}
    stage.store.patch(POOL, "default", {"status": status}, subresource="status")
    printer = printers.served(*POOL, None)
    row = printer.row(stage.store.get(POOL, "default"), stage.clock.unix_ns)
    assert row.cells == ["default", "default", "3", "True", "0s", 5, "8", "16Gi"]
