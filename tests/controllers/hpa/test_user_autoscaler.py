"""An autoscaler that somebody brings decides for HPAs, within their limits."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.hpa import framework
from kubestage.controllers.hpa.framework import Observation, Recommendation
from kubestage.errors import InputError
from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_node
from tests.backtesting.manifests import make_hpa

if TYPE_CHECKING:
    from kubestage.aliases import Json


class Fixed:
    """Asks for as many as its HPA's annotation says."""

    def __init__(self, hpa: Json) -> None:
        self.replicas = int(hpa["metadata"]["annotations"]["replicas"])

    def recommend(self, observation: Observation) -> Recommendation:
        return Recommendation(
            self.replicas, f"{observation.ready} of {observation.replicas} are ready"
        )


class Silent:
    """Asks for nothing, and remembers what it saw."""

    def __init__(self, hpa: Json) -> None:
        self.name = hpa["metadata"]["name"]
        self.looks: list[Observation] = []

    def recommend(self, observation: Observation) -> None:
        self.looks.append(observation)


class Counting:
    """Asks for one more each time, by a plain number."""

    def __init__(self, hpa: Json) -> None:
        self.count = 0

    def recommend(self, observation: Observation) -> int:
        self.count += 1
        observation.log.info("asked %d times", self.count)
        return observation.replicas + 1


class ToZero:
    """Has nothing run in odd minutes."""

    scales_to_zero = True

    def __init__(self, hpa: Json) -> None:
        """Nothing to remember."""

    def recommend(self, observation: Observation) -> int:
        return 0 if observation.seconds // 60 % 2 else 2


class Wrong:
    """Does not know how to count."""

    def __init__(self, hpa: Json) -> None:
        """Nothing to remember."""

    def recommend(self, observation: Observation) -> str:
        return "many"


def _hpa(**annotations: str) -> Json:
    hpa = make_hpa()
    hpa["metadata"] |= {"namespace": "default", "annotations": annotations}
    hpa["spec"] |= {"minReplicas": 2, "maxReplicas": 6}
    return hpa


def _stage(brought: type[Any], hpa: Json | None = None, key: str = "*") -> Stage:
    stage = Stage()
    stage.load([make_node("a", cpu="64")])
    stage.add_scheduler()
    stage.add_controllers(autoscalers={key: brought})
    web = make_deployment("web", replicas=3, cpu="500m")
    web["spec"]["template"]["metadata"]["annotations"] = {"kubestage.dev/cpu-usage": "250m"}
    stage.apply([web, hpa or _hpa(replicas="5")])
    return stage


def _replicas(stage: Stage) -> int:
    found: int = stage.store.get(("apps/v1", "Deployment"), "web")["spec"]["replicas"]
    return found


def _status(stage: Stage) -> Json:
    found: Json = stage.store.get(("autoscaling/v2", "HorizontalPodAutoscaler"), "web")["status"]
    return found


def _conditions(stage: Stage) -> dict[str, tuple[str, str]]:
    return {each["type"]: (each["status"], each["reason"]) for each in _status(stage)["conditions"]}


def test_it_decides_at_the_ticks_of_its_hpa() -> None:
    stage = _stage(Fixed)
    stage.run("14s")
    assert _replicas(stage) == 3
    stage.run("2s")
    assert _replicas(stage) == 5
    assert _status(stage)["desiredReplicas"] == 5
    assert _conditions(stage)["ScalingLimited"] == ("False", "DesiredWithinRange")


def test_its_reason_is_in_the_event() -> None:
    stage = _stage(Fixed)
    stage.run("16s")
    (event,) = [
        each
        for each in stage.store.list(("v1", "Event")).items
        if each["reason"] == "SuccessfulRescale"
    ]
    assert event["message"] == "New size: 5; reason: Fixed: 3 of 3 are ready"


@pytest.mark.parametrize(
    ("asked", "got", "reason"), [("99", 6, "TooManyReplicas"), ("0", 2, "TooFewReplicas")]
)
def test_the_limits_of_the_hpa_hold(asked: str, got: int, reason: str) -> None:
    stage = _stage(Fixed, _hpa(replicas=asked))
    stage.run("16s")
    assert _replicas(stage) == got
    assert _conditions(stage)["ScalingLimited"] == ("True", reason)


def test_one_that_says_nothing_changes_nothing() -> None:
    stage = _stage(Silent)
    stage.run("5m")
    assert _replicas(stage) == 3


def _seen(stage: Stage) -> list[Observation]:
    assert stage.controllers is not None
    loops: list[Any] = list(stage.controllers.controllers)
    (loop,) = [each for each in loops if each.name == "horizontal-pod-autoscaler"]
    (own,) = loop._autoscalers.values()
    looks: list[Observation] = own.user.looks
    return looks


def test_it_sees_pods_usage_limits_and_what_the_hpa_would_do() -> None:
    stage = _stage(Silent)
    stage.run("2m")
    first, *_, last = _seen(stage)
    assert [pod.cpu for pod in first.pods] == [None] * 3
    assert first.standard is None
    assert (last.replicas, last.ready, last.lowest, last.highest) == (3, 3, 2, 6)
    assert last.seconds == pytest.approx(105)
    assert [pod.cpu for pod in last.pods] == pytest.approx([0.25] * 3)
    assert {pod.cpu_request for pod in last.pods} == {0.5}
    assert last.standard == 3
    assert last.of_pods("requests_per_second") == {}
    assert last.external("queue_length", queue="mail") == []


def test_what_the_metrics_say_is_shown_as_ever() -> None:
    stage = _stage(Silent)
    stage.run("2m")
    (metric,) = _status(stage)["currentMetrics"]
    assert metric["resource"]["current"]["averageUtilization"] == 50


def test_only_the_hpa_that_is_named_is_taken_over() -> None:
    stage = _stage(Fixed, key="default/other")
    stage.run("2m")
    assert _replicas(stage) == 3


def test_a_plain_number_will_do_and_what_it_logs_has_virtual_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    stage = _stage(Counting)
    with caplog.at_level(logging.INFO, "kubestage.sim"):
        stage.run("31s")
    assert _replicas(stage) == 5
    told = [each for each in caplog.records if each.getMessage().startswith("asked")]
    assert [each.virtual_ns for each in told] == [15_000_000_001, 30_000_000_001]  # type: ignore[attr-defined]


def test_it_may_scale_to_zero_and_back_if_it_says_so() -> None:
    stage = _stage(ToZero)
    stage.run("80s")
    assert _replicas(stage) == 0
    stage.run("60s")
    assert _replicas(stage) == 2


def test_a_fork_goes_on_by_itself() -> None:
    stage = _stage(Counting)
    stage.run("16s")
    fork = stage.fork()
    fork.run("15s")
    assert (_replicas(stage), _replicas(fork)) == (4, 5)


def test_it_is_made_anew_with_its_hpa() -> None:
    stage = _stage(Counting)
    stage.run("16s")
    stage.store.delete(("autoscaling/v2", "HorizontalPodAutoscaler"), "web")
    stage.run("30s")
    assert _replicas(stage) == 4
    stage.apply(_hpa())
    stage.run("16s")
    assert _replicas(stage) == 5


def test_an_answer_that_is_no_number_is_an_error() -> None:
    stage = _stage(Wrong)
    with pytest.raises(InputError, match=r"Wrong\.recommend answered 'many' \(return a whole"):
        stage.run("1m")


def test_the_contract_is_just_this() -> None:
    assert set(framework.__all__) == {
        "Autoscaler",
        "Observation",
        "PodObservation",
        "Recommendation",
    }
