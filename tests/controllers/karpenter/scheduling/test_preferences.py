"""What pods give up, and in which order."""

from __future__ import annotations

from typing import Any

from kubestage.controllers.karpenter.scheduling import preferences

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def _pod() -> dict[str, Any]:
    term = {"topologyKey": "zone"}
    pod_terms = [{"weight": 1, "podAffinityTerm": term}, {"weight": 5, "podAffinityTerm": term}]
    return {
        "metadata": {"name": "p"},
        "spec": {
            "affinity": {
                "nodeAffinity": {
                    REQUIRED: {"nodeSelectorTerms": [{"a": 1}, {"b": 2}]},
                    PREFERRED: [{"weight": 1, "preference": {}}, {"weight": 9, "preference": {}}],
                },
                "podAffinity": {PREFERRED: pod_terms},
                "podAntiAffinity": {PREFERRED: pod_terms[:1]},
            },
            "topologySpreadConstraints": [
                {"topologyKey": "first", "whenUnsatisfiable": "ScheduleAnyway"},
                {"topologyKey": "second", "whenUnsatisfiable": "DoNotSchedule"},
                {"topologyKey": "third", "whenUnsatisfiable": "ScheduleAnyway"},
            ],
        },
    }


def _state(pod: dict[str, Any]) -> tuple[int, list[int], int, list[int], list[str], int]:
    affinity = pod["spec"]["affinity"]
    return (
        len(affinity["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]),
        [each["weight"] for each in affinity["podAffinity"][PREFERRED]],
        len(affinity["podAntiAffinity"][PREFERRED]),
        [each["weight"] for each in affinity["nodeAffinity"][PREFERRED]],
        [each["topologyKey"] for each in pod["spec"]["topologySpreadConstraints"]],
        len(pod["spec"].get("tolerations") or []),
    )


def test_preferences_are_given_up_one_by_one() -> None:
    pod: dict[str, Any] | None = _pod()
    seen = []
    while pod is not None:
        seen.append(_state(pod))
        pod = preferences.relaxed(pod, tolerate_prefer_no_schedule=True)
    assert seen == [
        (2, [1, 5], 1, [1, 9], ["first", "second", "third"], 0),
        (1, [1, 5], 1, [1, 9], ["first", "second", "third"], 0),
        (1, [1], 1, [1, 9], ["first", "second", "third"], 0),
        (1, [], 1, [1, 9], ["first", "second", "third"], 0),
        (1, [], 0, [1, 9], ["first", "second", "third"], 0),
        (1, [], 0, [1], ["first", "second", "third"], 0),
        (1, [], 0, [], ["first", "second", "third"], 0),
        (1, [], 0, [], ["third", "second"], 0),
        (1, [], 0, [], ["second"], 0),
        (1, [], 0, [], ["second"], 1),
    ]


def test_taints_are_tolerated_only_where_a_node_pool_has_such() -> None:
    bare = {"metadata": {"name": "p"}, "spec": {}}
    assert preferences.relaxed(bare, tolerate_prefer_no_schedule=False) is None
    tolerant = preferences.relaxed(bare, tolerate_prefer_no_schedule=True)
    assert tolerant is not None
    assert preferences.relaxed(tolerant, tolerate_prefer_no_schedule=True) is None


def test_a_toleration_is_known_whatever_time_it_states() -> None:
    stated = {"operator": "Exists", "effect": "PreferNoSchedule", "tolerationSeconds": 5}
    pod = {"metadata": {"name": "p"}, "spec": {"tolerations": [stated]}}
    assert preferences.relaxed(pod, tolerate_prefer_no_schedule=True) is None


def test_the_pod_itself_stays_as_it_is() -> None:
    pod = _pod()
    preferences.relaxed(pod, tolerate_prefer_no_schedule=True)
    assert pod == _pod()
