"""Dependencies one after another, and how a run takes their failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.clusterloader import config
from kubestage.clusterloader.dependencies import registry
from kubestage.clusterloader.dependencies.dependency import Dependency
from kubestage.errors import InputError
from kubestage.units import SECOND_NS
from tests.clusterloader.loads import Rehearsal, load, phase

if TYPE_CHECKING:
    from kubestage.clusterloader.dependencies.dependency import Done
    from kubestage.clusterloader.requests import Requests


class Delayed(Dependency):
    """Takes some seconds, and ends as its parameters say."""

    diary: list[str]

    def set_up(self, done: Done) -> None:
        """Be ready later."""
        self._note("up")
        self.warnings.append("take care")
        self._done = done
        moments = self.requests.cluster.moments
        self._timer = moments.at(moments.now_ns + self.params["seconds"] * SECOND_NS, self._ready)

    def _ready(self) -> None:
        self._done(self.params.get("problem", ""))

    def abandon(self) -> None:
        """Be ready never."""
        self._note("abandoned")
        self._timer.cancel()

    def take_down(self, requests: Requests, done: Done) -> None:
        """Be gone."""
        assert not requests.is_stopped
        self._note("down")
        done(self.params.get("left", ""))

    def _note(self, what: str) -> None:
        self.diary.append(f"{self.params['id']} {what}")


@pytest.fixture
def diary(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happened to dependencies of the method Delayed."""
    found: list[str] = []
    monkeypatch.setattr(Delayed, "diary", found, raising=False)
    monkeypatch.setitem(registry.METHODS, "Delayed", Delayed)
    return found


def _needs(name: str, seconds: int = 1, timeout: int = 0, **params: Any) -> config.Dependency:
    told = {"id": name, "seconds": seconds, **params}
    return config.Dependency(name, "Delayed", timeout * SECOND_NS, told)


def _rehearsal(*wanted: config.Dependency, is_strict: bool = False) -> Rehearsal:
    step = config.Step(name="work", phases=(phase(1),))
    loaded = load(step, dependencies=wanted, namespaces=config.Namespaces(1, "mine"))
    return Rehearsal(loaded, is_strict=is_strict)


def test_they_are_set_up_in_order_before_the_first_step_and_taken_down_in_reverse(
    diary: list[str],
) -> None:
    rehearsal = _rehearsal(_needs("a", 2), _needs("b", 3))
    result = rehearsal.finish().result
    assert result.passed
    assert diary == ["a up", "b up", "b down", "a down"]
    assert result.steps[0].began_ns >= 5 * SECOND_NS
    assert result.warnings == ["dependency a: take care", "dependency b: take care"]
    assert not [name for name in rehearsal.names("Namespace") if name.startswith("mine")]


def test_one_that_fails_ends_the_run_before_the_first_step(diary: list[str]) -> None:
    rehearsal = _rehearsal(_needs("a", problem="no room"), _needs("b"))
    result = rehearsal.finish().result
    assert result.errors == ["dependency a setup failed: no room"]
    assert result.steps == []
    assert diary == ["a up", "b up", "b down", "a down"]
    assert not [name for name in rehearsal.names("Namespace") if name.startswith("mine")]


def test_one_that_takes_too_long_is_abandoned(diary: list[str]) -> None:
    result = _rehearsal(_needs("a", 600, timeout=90)).finish().result
    assert result.errors == ["dependency a setup timed out after 1m30s"]
    assert diary == ["a up", "a abandoned", "a down"]
    # Clean-up counts: it sees after 5 s that the namespace is gone.
    assert result.took_ns // SECOND_NS == 95


def test_one_that_is_in_time_is_not_abandoned_later(diary: list[str]) -> None:
    rehearsal = _rehearsal(_needs("a", 1, timeout=2))
    assert rehearsal.finish().result.passed
    rehearsal.stage.run("1m")
    assert diary == ["a up", "a down"]


@pytest.mark.parametrize("is_strict", [False, True])
def test_what_is_left_behind_is_told_and_fails_a_strict_run(
    diary: list[str], *, is_strict: bool
) -> None:
    result = _rehearsal(_needs("a", left="a pod"), is_strict=is_strict).finish().result
    told = result.errors if is_strict else result.warnings
    assert "clean-up: dependency a teardown failed: a pod" in told
    assert result.passed is not is_strict
    assert diary[-1] == "a down"


def test_an_interrupt_does_not_wait_for_them(diary: list[str]) -> None:
    rehearsal = _rehearsal(_needs("a", 600), _needs("b"))
    rehearsal.run.start()
    rehearsal.stage.run("5s")
    rehearsal.run.interrupt()
    rehearsal.stage.run_until(rehearsal.is_over)
    assert rehearsal.run.result.is_interrupted
    assert rehearsal.run.result.steps == []
    assert diary == ["a up", "a abandoned", "a down"]


def test_they_are_taken_down_even_if_namespaces_stay(diary: list[str]) -> None:
    step = config.Step(name="work", phases=(phase(1),))
    kept = config.Namespaces(1, "mine", delete_automanaged=False)
    rehearsal = Rehearsal(load(step, dependencies=(_needs("a"),), namespaces=kept))
    assert rehearsal.finish().result.passed
    assert diary == ["a up", "a down"]
    assert "mine-1" in rehearsal.names("Namespace")


def test_a_method_that_there_is_not_is_an_error() -> None:
    with pytest.raises(InputError, match="unknown dependency method 'Nothing'") as caught:
        _rehearsal(config.Dependency("a", "Nothing"))
    assert caught.value.fix == "known: DRATestDriver"
