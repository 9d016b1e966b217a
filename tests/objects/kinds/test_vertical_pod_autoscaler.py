from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Invalid
from kubestage.objects import defaulting, warnings
from kubestage.objects.validation import rules
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store

if TYPE_CHECKING:
    from kubestage.aliases import Json

_KIND = ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler")
_TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}


def _vpa(**spec: Any) -> Json:
    return {
        "apiVersion": _KIND[0],
        "kind": _KIND[1],
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"targetRef": _TARGET, **spec},
    }


def _policy(**policy: Any) -> Json:
    return _vpa(resourcePolicy={"containerPolicies": [{"containerName": "app", **policy}]})


def _problems(obj: Json) -> list[str]:
    return [str(each) for each in rules.validate_create(obj)]


_POLICY = "spec.resourcePolicy.containerPolicies[0]"


@pytest.mark.parametrize(
    ("obj", "problem"),
    [
        (
            _vpa(updatePolicy={}),
            (
                "spec.updatePolicy.updateMode: Required value: updateMode is required if "
                "UpdatePolicy is used"
            ),
        ),
        (
            _vpa(updatePolicy={"updateMode": "Sometimes"}),
            (
                'spec.updatePolicy.updateMode: Unsupported value: "Sometimes": supported values: '
                '"InPlace", "InPlaceOrRecreate", "Initial", "Off", "Recreate"'
            ),
        ),
        (
            _vpa(updatePolicy={"updateMode": "InPlace"}),
            (
                "spec.updatePolicy.updateMode: Forbidden: in order to use UpdateMode InPlace, you "
                "must enable feature gate InPlace in the admission-controller args"
            ),
        ),
        (
            _vpa(updatePolicy={"updateMode": "Off", "minReplicas": 0}),
            "spec.updatePolicy.minReplicas: Invalid value: 0: minReplicas has to be positive",
        ),
        (
            _vpa(updatePolicy={"updateMode": "Off", "minReplicas": "2"}),
            (
                'spec.updatePolicy.minReplicas: Invalid value: "string": '
                'spec.updatePolicy.minReplicas in body must be of type integer: "string"'
            ),
        ),
        (_policy(containerName=""), f"{_POLICY}.containerName: Required value"),
        (
            _policy(mode="On"),
            f'{_POLICY}.mode: Unsupported value: "On": supported values: "Auto", "Off"',
        ),
        (
            _policy(minAllowed={"cpu": "100u"}),
            (
                f'{_POLICY}.minAllowed[cpu]: Invalid value: "100u": must be a whole number of '
                "milli CPUs"
            ),
        ),
        (
            _policy(maxAllowed={"memory": "1500m"}),
            (
                f'{_POLICY}.maxAllowed[memory]: Invalid value: "1500m": must be a whole number of '
                "bytes"
            ),
        ),
        (
            _policy(minAllowed={"cpu": "2"}, maxAllowed={"cpu": "1"}),
            (
                f'{_POLICY}.maxAllowed[cpu]: Invalid value: "1": max resource for cpu is lower '
                'than min of "2"'
            ),
        ),
        (
            _policy(mode="Off", controlledValues="RequestsAndLimits"),
            (
                f"{_POLICY}.controlledValues: Forbidden: controlledValues shouldn't be specified "
                "if container scaling mode is off"
            ),
        ),
        (
            _policy(controlledResources=["gpu"]),
            (
                f'{_POLICY}.controlledResources[0]: Unsupported value: "gpu": supported values: '
                '"cpu", "memory"'
            ),
        ),
        (
            _policy(oomBumpUpRatio="1500m"),
            (
                f"{_POLICY}.oomBumpUpRatio: Forbidden: not supported when feature flag "
                "PerVPAConfig is disabled"
            ),
        ),
        (
            _policy(controlledValues="Limits"),
            (
                f'{_POLICY}.controlledValues: Unsupported value: "Limits": supported values: '
                '"RequestsAndLimits", "RequestsOnly"'
            ),
        ),
        (
            _vpa(startupBoost={"cpu": {"type": "Factor", "factor": 2}}),
            (
                "spec.startupBoost: Forbidden: in order to use startupBoost, you must enable "
                "feature gate CPUStartupBoost in the admission-controller args"
            ),
        ),
        (
            _vpa(recommenders=[{"name": "a"}, {"name": "b"}]),
            "spec.recommenders: Too many: 2: must have at most 1 item",
        ),
    ],
)
def test_what_breaks_a_rule_is_told_in_the_words_of_the_webhook(obj: Json, problem: str) -> None:
    assert _problems(obj) == [problem]


def test_a_target_is_needed() -> None:
    obj = _vpa()
    del obj["spec"]["targetRef"]
    assert _problems(obj) == ["spec.targetRef: Required value"]


def test_what_cannot_be_an_amount_is_told() -> None:
    (problem,) = _problems(_policy(minAllowed={"cpu": "two"}))
    assert problem.startswith(f"{_POLICY}.minAllowed[cpu]: Invalid value: ")


def test_a_sound_one_passes_and_is_given_a_mode() -> None:
    store = Store(Clock(), Streams(0), implicit_namespaces=True)
    stored = store.create(_policy(minAllowed={"cpu": "100m"}, controlledValues="RequestsOnly"))
    assert stored["spec"]["updatePolicy"] == {"updateMode": "Recreate"}
    kept = _vpa(updatePolicy={"updateMode": "Off"})
    assert defaulting.default(kept) == kept


def test_what_was_there_before_may_stay() -> None:
    old = _policy(oomBumpUpRatio="1500m", controlledResources=["gpu"])
    old["metadata"]["resourceVersion"] = "1"
    assert not rules.validate_update(old, old)
    new = _policy(oomMinBumpUp="1Mi", controlledResources=["gpu", "tpu"])
    new["metadata"]["resourceVersion"] = "1"
    (problem,) = rules.validate_update(new, old)
    assert problem.field == f"{_POLICY}.controlledResources[1]"


def test_a_broken_one_is_not_stored() -> None:
    store = Store(Clock(), Streams(0), implicit_namespaces=True)
    with pytest.raises(Invalid, match="updateMode"):
        store.create(_vpa(updatePolicy={"updateMode": "Sometimes"}))


def test_a_mode_that_is_going_away_is_warned_about() -> None:
    (warning,) = warnings.on_create(_vpa(updatePolicy={"updateMode": "Auto"}))
    assert warning.startswith('spec.updatePolicy: "Auto" mode is deprecated')
    assert not warnings.on_create(_vpa(updatePolicy={"updateMode": "Recreate"}))


_SAID = "status.recommendation.containerRecommendations[0]"


def _said(**recommended: Any) -> Json:
    return {
        "recommendation": {"containerRecommendations": [{"containerName": "app", **recommended}]}
    }


@pytest.mark.parametrize(
    ("status", "problem"),
    [
        ({"conditions": [{"type": "X"}]}, "status.conditions[0].status: Required value"),
        ({"recommendation": None}, 'status.recommendation: Invalid value: "null": '),
        (_said(), f"{_SAID}.target: Required value"),
        (_said(target={"cpu": "much"}), f'{_SAID}.target.cpu: Invalid value: "much": '),
        (
            _said(target={}, upperBound={"memory": True}),
            f"{_SAID}.upperBound.memory: Invalid value: true: ",
        ),
        (_said(target={"cpu": "1500m", "memory": 2**30}), ""),
        ({"conditions": [{"type": "X", "status": "True"}], "observedGeneration": 3}, ""),
        (None, ""),
    ],
)
def test_a_status_is_as_its_definition_has_it(status: Json | None, problem: str) -> None:
    old = _vpa()
    old["metadata"] |= {"resourceVersion": "1", "uid": "u"}
    new = old if status is None else {**old, "status": status}
    found = [str(each) for each in rules.validate_update(new, old, "status")]
    assert [each[: len(problem)] for each in found] == ([problem] if problem else [])
