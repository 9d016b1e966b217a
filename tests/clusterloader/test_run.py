"""A whole run: steps in order, what is left behind, and how it ends early."""

from __future__ import annotations

from kubestage.clusterloader import config
from kubestage.clusterloader.config import Mention, Step
from kubestage.clusterloader.result import Outcome
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Params
from kubestage.measure.results import MeasurementResult, PendingResult, Verdict
from kubestage.units import SECOND_NS
from tests.clusterloader.loads import Rehearsal, load, phase, spec, with_controllers


class Fatal(Measurement[Params]):
    """Says that the test must end."""

    def perform(self, params: Params) -> MeasurementResult:
        return MeasurementResult(errors=(f"{params.action}: no way on",), is_fatal=True)


class Empty(Measurement[Params]):
    """Passes without having seen anything."""

    def perform(self, params: Params) -> MeasurementResult:
        del params
        return MeasurementResult(verdicts=(Verdict(name="p99", passed=True, samples=0),))


class Idle(Measurement[Params]):
    """Cannot measure."""

    def perform(self, params: Params) -> MeasurementResult:
        del params
        return MeasurementResult(skipped="needs a probe")


class Fine(Measurement[Params]):
    """Has seen something."""

    def perform(self, params: Params) -> MeasurementResult:
        del params
        return MeasurementResult(verdicts=(Verdict(name="p99", passed=True, samples=3),))


class Endless(Measurement[Params]):
    """Never has an answer."""

    def perform(self, params: Params) -> PendingResult:
        del params
        return PendingResult()


def measure(method: str, action: str = "gather") -> Step:
    """A step of one measurement."""
    return Step(name=method, measurements=(Mention(method, "it", {"action": action}),))


def test_namespaces_are_made_before_and_deleted_after_with_all_that_is_left() -> None:
    rehearsal = Rehearsal(load(Step(phases=(phase(3),)), namespaces=config.Namespaces(2, "mine")))
    run = rehearsal.run
    run.start()
    rehearsal.stage.run("250ms")
    assert rehearsal.names("ConfigMap", "mine-1")
    rehearsal.stage.run_until(rehearsal.is_over)
    assert run.result.passed
    assert [name for name in rehearsal.names("Namespace") if name.startswith("mine")] == []
    assert rehearsal.names("ConfigMap", "mine-1") == []
    created = list(zip(run.result.calls.verbs, run.result.calls.kinds, strict=True))
    assert created.count(("create", "Namespace")) == 2
    assert created.count(("create", "ConfigMap")) == 3


def test_what_is_left_stays_if_namespaces_are_to_be_kept() -> None:
    kept = config.Namespaces(1, "mine", delete_automanaged=False)
    rehearsal = Rehearsal(load(Step(phases=(phase(2),)), namespaces=kept))
    rehearsal.finish()
    assert rehearsal.names("ConfigMap", "mine-1") == ["config-map-0", "config-map-1"]


def test_the_prefix_is_drawn_if_none_is_given_and_the_same_for_the_same_seed() -> None:
    loaded = load(Step(phases=(phase(1),)), namespaces=config.Namespaces(delete_automanaged=False))
    first, second = Rehearsal(loaded), Rehearsal(loaded)
    first.finish()
    second.finish()
    drawn = [name for name in first.names("Namespace") if name.startswith("test-")]
    assert len(drawn) == 1
    assert len(drawn[0]) == len("test-xxxxxx-1")
    assert drawn == [name for name in second.names("Namespace") if name.startswith("test-")]


def test_namespaces_that_are_there_already_end_the_run_before_it_begins() -> None:
    stage = with_controllers()
    stage.load({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "mine-1"}})
    rehearsal = Rehearsal(
        load(Step(phases=(phase(1),)), namespaces=config.Namespaces(1, "mine")), stage
    )
    result = rehearsal.finish().result
    assert "mine-1" in result.errors[0]
    assert "another --seed if it has none" in result.errors[0]
    assert not result.steps
    assert "mine-1" in rehearsal.names("Namespace")


def test_namespaces_that_are_there_are_used_if_that_is_allowed() -> None:
    stage = with_controllers()
    stage.load({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "mine-1"}})
    wanted = config.Namespaces(2, "mine", enable_existing=True)
    rehearsal = Rehearsal(load(Step(phases=(phase(1),)), namespaces=wanted), stage)
    assert rehearsal.finish().result.passed
    assert not [name for name in rehearsal.names("Namespace") if name.startswith("mine")]


def test_namespaces_of_an_earlier_run_are_deleted_if_that_is_asked_for() -> None:
    stage = with_controllers()
    stage.load({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "test-abc123-7"}})
    wanted = config.Namespaces(1, "mine", delete_stale=True)
    rehearsal = Rehearsal(load(Step(phases=(phase(1),)), namespaces=wanted), stage)
    result = rehearsal.finish().result
    assert result.passed
    assert any("test-abc123-7" in each for each in result.warnings)
    assert "test-abc123-7" not in rehearsal.names("Namespace")


def test_objects_outside_of_the_runs_namespaces_are_taken_away_too() -> None:
    own = phase(2, spec("namespace", "own"), namespace_range=None)
    rehearsal = Rehearsal(load(Step(phases=(own,)), namespaces=config.Namespaces(1, "mine")))
    result = rehearsal.finish().result
    assert result.passed
    assert not [name for name in rehearsal.names("Namespace") if name.startswith(("own", "mine"))]


def test_objects_that_were_there_before_are_not_taken_away() -> None:
    stage = with_controllers()
    stage.load({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "own-0"}})
    own = phase(2, spec("namespace", "own"), namespace_range=None)
    rehearsal = Rehearsal(load(Step(phases=(own,))), stage)
    assert rehearsal.finish().result.passed
    assert [name for name in rehearsal.names("Namespace") if name.startswith("own")] == ["own-0"]


def test_steps_follow_one_another_and_are_timed() -> None:
    steps = Step(name="up", phases=(phase(10),)), Step(phases=(phase(0),))
    result = Rehearsal(load(*steps)).finish().result
    assert [step.name for step in result.steps] == [
        "[step: 01] up",
        "[step: 02] [autogenerated, please name your step in the test config]",
    ]
    assert [step.is_named for step in result.steps] == [True, False]
    first, second = result.steps
    assert first.took_ns >= SECOND_NS
    assert second.began_ns >= first.began_ns + first.took_ns


def test_an_error_fails_the_test_and_the_steps_go_on() -> None:
    steps = Step(name="bad", phases=(phase(1, spec("bad")),)), Step(name="good", phases=(phase(1),))
    result = Rehearsal(load(*steps)).finish().result
    assert len(result.steps) == 2
    assert not result.passed
    assert "object bad-0 creation error" in result.errors[0]
    assert len(result.errors) == 1


def test_a_fatal_error_ends_the_test_and_cleans_up() -> None:
    steps = measure("Fatal"), Step(name="never", phases=(phase(1),))
    rehearsal = Rehearsal(
        load(*steps, namespaces=config.Namespaces(1, "mine")), own={"Fatal": Fatal}
    )
    result = rehearsal.finish().result
    assert [step.name for step in result.steps] == ["[step: 01] Fatal"]
    assert result.errors == ["measurement call Fatal - it error: gather: no way on"]
    assert not [name for name in rehearsal.names("Namespace") if name.startswith("mine")]


def test_a_pass_without_a_sample_is_told_and_fails_if_strict() -> None:
    easy = Rehearsal(load(measure("Empty")), own={"Empty": Empty}).finish().result
    assert easy.outcome is Outcome.NOTHING_MEASURED
    assert not easy.errors
    assert any("without a sample" in each for each in easy.warnings)
    strict = Rehearsal(load(measure("Empty")), own={"Empty": Empty}, is_strict=True)
    assert "Empty - it: p99 passed without a sample" in strict.finish().result.errors


def test_a_run_whose_every_measurement_is_skipped_has_measured_nothing() -> None:
    own = {"Idle": Idle, "Fine": Fine}
    nap = Step(measurements=(Mention("Sleep", "nap", {"duration": "1s"}),))
    easy = Rehearsal(load(measure("Idle"), nap), own=own).finish().result
    assert (easy.outcome, easy.passed, easy.errors) == (Outcome.NOTHING_MEASURED, False, [])
    [substep] = easy.steps[0].substeps
    assert substep.skipped == "needs a probe"
    strict = Rehearsal(load(measure("Idle")), own=own, is_strict=True).finish().result
    assert strict.outcome is Outcome.FAILED
    assert strict.errors == ["Idle - it was skipped: needs a probe"]
    partly = Rehearsal(load(measure("Idle"), measure("Fine")), own=own).finish().result
    assert partly.outcome is Outcome.PASSED
    assert Rehearsal(load(nap)).finish().result.passed


def test_an_interrupt_begins_nothing_more_and_leaves_nothing_behind() -> None:
    steps = Step(name="long", phases=(phase(1000),)), Step(name="never", phases=(phase(0),))
    rehearsal = Rehearsal(load(*steps, namespaces=config.Namespaces(1, "mine")))
    rehearsal.run.start()
    rehearsal.stage.run("5s")
    rehearsal.run.interrupt()
    rehearsal.stage.run_until(rehearsal.is_over)
    result = rehearsal.run.result
    assert result.is_interrupted
    assert not result.passed
    assert len(result.steps) == 1
    created = result.calls.kinds.count("ConfigMap")
    assert 0 < created < 100
    assert not [name for name in rehearsal.names("Namespace") if name.startswith("mine")]


def test_an_interrupt_does_not_wait_for_a_measurement() -> None:
    rehearsal = Rehearsal(load(measure("Endless")), own={"Endless": Endless})
    rehearsal.run.start()
    rehearsal.stage.run("5s")
    rehearsal.run.interrupt()
    rehearsal.stage.run_until(rehearsal.is_over)
    assert rehearsal.run.result.is_interrupted


def test_more_steps_than_calls_can_be_nested() -> None:
    result = Rehearsal(load(*[measure("Empty")] * 3000), own={"Empty": Empty}).finish().result
    assert len(result.steps) == 3000


def test_the_same_seed_makes_the_same_calls() -> None:
    steps = Step(phases=(phase(5), phase(3, spec("secret")))), Step(phases=(phase(5),))
    first, second = Rehearsal(load(*steps)).finish(), Rehearsal(load(*steps)).finish()
    assert vars(first.result.calls) == vars(second.result.calls)
