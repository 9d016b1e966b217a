"""What pods require, and what they only prefer."""

from __future__ import annotations

from typing import Any

from kubestage.controllers.karpenter.requirements import of_pods


def _term(key: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}


def _pod(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "p"}, "spec": spec}


def _affinity(required: list[Any], preferred: list[Any]) -> dict[str, Any]:
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": required},
            "preferredDuringSchedulingIgnoredDuringExecution": preferred,
        }
    }


def test_the_first_required_term_and_the_heaviest_preference_count() -> None:
    preferred = [
        {"weight": 1, "preference": _term("p", "light")},
        {"weight": 9, "preference": _term("p", "heavy")},
    ]
    affinity = _affinity([_term("r", "first"), _term("r", "second")], preferred)
    pod = _pod(nodeSelector={"s": "x"}, affinity=affinity)
    assert str(of_pods.strict(pod)) == "r In [first], s In [x]"
    assert str(of_pods.preferred(pod)) == "p In [heavy], r In [first], s In [x]"
    assert of_pods.has_preferred_node_affinity(pod)
    assert [term["matchExpressions"][0]["values"] for term in of_pods.required_terms(pod)] == [
        ["first"],
        ["second"],
    ]


def test_a_pod_without_affinity_requires_its_node_selector() -> None:
    assert str(of_pods.preferred(_pod())) == ""
    assert not of_pods.has_preferred_node_affinity(_pod(affinity={}))
    assert of_pods.required_terms(_pod(affinity={"nodeAffinity": {}})) == []
