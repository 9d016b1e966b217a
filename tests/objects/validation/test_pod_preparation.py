from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects.validation import pod_preparation
from tests.objects.validation.pod_specs import container, spec

APPARMOR = "container.apparmor.security.beta.kubernetes.io/c"


def _pod(given: dict[str, Any], **meta: Any) -> dict[str, Any]:
    return {"metadata": {"name": "p", **meta}, "spec": given}


def test_a_plain_pod_is_left_as_it_is() -> None:
    pod = _pod(spec(), labels={"a": "b"}, annotations={"c": "d"})
    assert pod_preparation.prepare_new_pod(pod) is pod


def test_fields_behind_closed_gates_are_dropped() -> None:
    volume = {
        "name": "v",
        "projected": {
            "sources": [
                {"secret": {"name": "s"}},
                {"clusterTrustBundle": {"name": "b", "path": "p"}},
                {"podCertificate": {"keyType": "ED25519"}},
            ]
        },
    }
    signal = {"stopSignal": "SIGTERM"}
    sleep = {"preStop": {"sleep": {"seconds": 1}}}
    given = spec(
        schedulingGroup={"podGroupName": "g"},
        volumes=[{"name": "w", "emptyDir": {}}, volume],
        containers=[container("a", lifecycle=signal), container("b", lifecycle=signal | sleep)],
    )
    before = copy.deepcopy(given)
    prepared = pod_preparation.drop_disabled_fields(given)
    assert "schedulingGroup" not in prepared
    assert prepared["volumes"][1]["projected"]["sources"] == [{"secret": {"name": "s"}}, {}, {}]
    assert prepared["containers"] == [container("a"), container("b", lifecycle=sleep)]
    assert given == before


def test_what_the_older_version_has_is_kept() -> None:
    given = spec(
        schedulingGroup={"podGroupName": "g"},
        volumes=[{"name": "v", "projected": {"sources": [{"podCertificate": {}}]}}],
        containers=[container(lifecycle={"stopSignal": "SIGTERM"})],
    )
    assert pod_preparation.drop_disabled_fields(given, given) is given


def test_selectors_are_completed_with_the_pods_own_labels() -> None:
    selector = {"matchLabels": {"x": "y"}}
    term = {
        "topologyKey": "zone",
        "labelSelector": selector,
        "matchLabelKeys": ["app", "absent"],
        "mismatchLabelKeys": ["tier"],
    }
    constraint = {"topologyKey": "zone", "labelSelector": selector, "matchLabelKeys": ["app"]}
    given = spec(
        affinity={
            "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]},
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {"weight": 1, "podAffinityTerm": term}
                ]
            },
        },
        topologySpreadConstraints=[constraint, {"topologyKey": "host", "matchLabelKeys": ["app"]}],
    )
    before = copy.deepcopy(given)
    labels = {"app": "web", "tier": "front"}
    prepared = pod_preparation.prepare_new_pod(_pod(given, labels=labels))["spec"]
    app = {"key": "app", "operator": "In", "values": ["web"]}
    tier = {"key": "tier", "operator": "NotIn", "values": ["front"]}
    both = selector | {"matchExpressions": [app, tier]}
    required = prepared["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert required[0]["labelSelector"] == both
    anti = prepared["affinity"]["podAntiAffinity"]
    weighted = anti["preferredDuringSchedulingIgnoredDuringExecution"]
    assert weighted[0]["podAffinityTerm"]["labelSelector"] == both
    first, second = prepared["topologySpreadConstraints"]
    assert first["labelSelector"] == selector | {"matchExpressions": [app]}
    assert "labelSelector" not in second
    assert given == before


@pytest.mark.parametrize(
    ("annotation", "context", "pod_profile", "expected"),
    [
        ("unconfined", None, None, {"type": "Unconfined"}),
        ("localhost/x", None, None, {"type": "Localhost", "localhostProfile": "x"}),
        ("bogus", None, None, None),
        ("unconfined", None, {"type": "Unconfined"}, None),
        (
            "unconfined",
            {"appArmorProfile": {"type": "RuntimeDefault"}},
            None,
            {"type": "RuntimeDefault"},
        ),
    ],
)
def test_apparmor_annotations_become_fields(
    annotation: str,
    context: dict[str, Any] | None,
    pod_profile: dict[str, Any] | None,
    expected: dict[str, Any] | None,
) -> None:
    given = spec(containers=[container("c", securityContext=context), container("d")])
    if pod_profile:
        given["securityContext"] = {"appArmorProfile": pod_profile}
    pod = _pod(given, annotations={APPARMOR: annotation})
    first, second = pod_preparation.prepare_new_pod(pod)["spec"]["containers"]
    assert (first["securityContext"] or {}).get("appArmorProfile") == expected
    assert second == container("d")


def test_windows_knows_no_apparmor() -> None:
    pod = _pod(spec(os={"name": "windows"}), annotations={APPARMOR: "unconfined"})
    assert pod_preparation.prepare_new_pod(pod) is pod


@given(
    st.lists(st.sampled_from(["a", "b", "c"])), st.dictionaries(st.sampled_from("abcd"), st.text())
)
def test_completing_adds_one_expression_for_each_key_the_pod_has(
    keys: list[str], labels: dict[str, str]
) -> None:
    constraint = {"labelSelector": {}, "matchLabelKeys": keys}
    pod = _pod(spec(topologySpreadConstraints=[constraint]), labels=labels)
    (prepared,) = pod_preparation.prepare_new_pod(pod)["spec"]["topologySpreadConstraints"]
    added = prepared["labelSelector"].get("matchExpressions", [])
    assert [(entry["key"], entry["values"]) for entry in added] == [
        (key, [labels[key]]) for key in keys if key in labels
    ]
