"""The measurements of a test: made once, given their parameters, told what went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.errors import InputError, NotFound
from kubestage.measure.facilities import Facilities
from kubestage.measure.measurement import Measurement
from kubestage.measure.measurements import Measurements
from kubestage.measure.params import Params
from kubestage.measure.registry import Registry
from kubestage.measure.results import NOTHING, MeasurementResult, PendingResult
from kubestage.sim.streams import Streams
from tests.measure.fake_cluster import FakeCluster

if TYPE_CHECKING:
    from kubestage.cluster.access import Cluster
    from kubestage.measure.measurement import Context


class _NotingParams(Params, frozen=True, kw_only=True):
    word: str = ""


class _Held:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.is_over = False

    def dispose(self) -> None:
        self.is_over = True


class _Noting(Measurement[_NotingParams]):
    params_type = _NotingParams

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.words: list[str] = []
        self.draw = context.random.random()
        self.is_over = False

    def dispose(self) -> None:
        self.is_over = True

    def perform(self, params: _NotingParams) -> MeasurementResult | PendingResult:
        if params.word == "input":
            raise InputError("no", path="params.word")
        if params.word == "refused":
            raise NotFound("gone")
        if params.word == "later":
            pending = PendingResult()
            pending.resolve(MeasurementResult(errors=("at last",)))
            return pending
        if params.word == "wrong":
            wrong: Any = None
            return wrong  # type: ignore[no-any-return]
        self.words.append(f"{params.action} {params.word}")
        return MeasurementResult(warnings=(" ".join(self.words),))


def made(seed: int = 0) -> Measurements:
    registry = Registry({"Noting": _Noting})
    return Measurements(registry, FakeCluster(), Streams(seed), Facilities())


def perform(all_of: Measurements, identifier: str, **raw: Any) -> MeasurementResult:
    told = list[MeasurementResult]()
    all_of.perform("Noting", identifier, raw).then(told.append)
    (outcome,) = told
    return outcome


def test_an_instance_lives_for_the_whole_test_under_its_identifier() -> None:
    all_of = made()
    perform(all_of, "a", action="start", word="one")
    assert perform(all_of, "b", action="start", word="x").warnings == ("start x",)
    assert perform(all_of, "a", action="gather", word="two").warnings == ("start one gather two",)


def test_an_unknown_parameter_is_told_before_what_the_measurement_tells() -> None:
    warnings = perform(made(), "a", wrod="x", action="start").warnings
    said = "Noting - a: params.wrod: unknown parameter; did you mean 'word'?"
    assert warnings == (said, "start ")


def test_what_is_wrong_is_an_error_of_the_step() -> None:
    all_of = made()
    assert perform(all_of, "a", word="input").errors == ("params.word: no",)
    assert perform(all_of, "a", word="refused").errors == ("gone",)
    assert perform(all_of, "a", word=5).errors == ("params.word: Expected `str`, got `int`",)
    assert perform(all_of, "a", word="later").errors == ("at last",)


def test_an_unknown_method_is_an_error_of_the_step() -> None:
    told = list[MeasurementResult]()
    made().perform("Slepe", "a", {}).then(told.append)
    said = "method: unknown measurement method 'Slepe' (did you mean 'Sleep'?)"
    assert told[0].errors == (said,)


def test_chance_depends_on_the_seed_and_the_name_alone() -> None:
    draws = []
    for names in (["a", "b"], ["b", "a"]):
        all_of = made(seed=7)
        for name in names:
            perform(all_of, name)
        instances = all_of._instances
        draws.append([instances["Noting", name].draw for name in "ab"])  # type: ignore[attr-defined]
    assert draws[0] == draws[1]
    assert draws[0][0] != draws[0][1]


def test_the_end_of_a_test_is_told_to_all() -> None:
    all_of = made()
    perform(all_of, "a")
    noting = all_of._instances["Noting", "a"]
    shared = noting.context.share(_Held)
    all_of.dispose()
    assert isinstance(noting, _Noting)
    assert noting.is_over
    assert shared.is_over


def test_nothing_to_say_is_passed_on_as_it_is() -> None:
    assert MeasurementResult() == NOTHING


class Silent(Measurement[Params]):
    """Begins, and has nothing to say."""


def test_a_measurement_that_gathers_nothing_refuses_to_be_asked() -> None:
    made = Measurements(Registry({"Silent": Silent}), FakeCluster(), Streams(1), Facilities())
    told: list[MeasurementResult] = []
    made.perform("Silent", "it", {"action": "gather"}).then(told.append)
    [outcome] = told
    assert "unknown action 'gather'" in outcome.errors[0]


def test_what_is_no_result_is_an_error_of_the_step() -> None:
    (error,) = perform(made(), "a", action="start", word="wrong").errors
    assert error == "Noting returned None (return a MeasurementResult, which may be empty)"
