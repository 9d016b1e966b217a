"""Parameters are read as ClusterLoader2 reads them, and strange ones are named."""

from __future__ import annotations

from typing import ClassVar

import msgspec
import pytest

from kubestage.errors import InputError
from kubestage.measure import params
from kubestage.measure.params import Duration, FreeParams, Params, Selecting


class _Some(Params, frozen=True, kw_only=True):
    desired_pod_count: int
    timeout: Duration = Duration(5)
    share: float = 0.0
    is_fatal: bool = False
    command: tuple[str, ...] = ()


class _Item(msgspec.Struct, frozen=True, rename="camel"):
    lower_bound: int = 0


class _Folded(Params, frozen=True, kw_only=True):
    ignores_case: ClassVar[bool] = True

    metric_name: str = ""
    items: tuple[_Item, ...] = ()


def test_where_case_is_ignored_it_is_in_inner_objects_too() -> None:
    raw = {"MetricName": "m", "METRICNAME": "x", "Items": [{"LowerBound": 2}], "Action": "start"}
    typed, warnings = params.typed(_Folded, raw)
    assert typed == _Folded(action="start", metric_name="m", items=(_Item(2),))
    assert not warnings
    assert params.typed(_Some, {"desiredPodCount": 1, "Timeout": "1s"})[1]


def test_where_case_is_ignored_a_mistyped_list_is_still_an_error() -> None:
    with pytest.raises(InputError, match=r"params\.items"):
        params.typed(_Folded, {"Items": {"LowerBound": 2}})


def test_fields_are_camel_cased_and_durations_are_go_strings() -> None:
    typed, warnings = params.typed(_Some, {"desiredPodCount": 3, "timeout": "1m30s"})
    assert (typed.desired_pod_count, typed.timeout, warnings) == (3, 90_000_000_000, [])


@pytest.mark.parametrize("value", [3, 3.0, "3", 3.9])
def test_a_number_may_be_written_in_any_way(value: object) -> None:
    typed, _ = params.typed(_Some, {"desiredPodCount": value})
    assert typed.desired_pod_count == 3


def test_truths_and_fractions_may_be_text() -> None:
    typed, _ = params.typed(_Some, {"desiredPodCount": 1, "isFatal": "true", "share": "0.5"})
    assert typed.is_fatal
    assert typed.share == 0.5


@pytest.mark.parametrize("text", ["1", "t", "T", "TRUE", "true", "True"])
def test_a_truth_may_be_each_word_that_go_knows(text: str) -> None:
    assert params.typed(_Some, {"desiredPodCount": 1, "isFatal": text})[0].is_fatal
    no = {"1": "0", "t": "f", "T": "F", "TRUE": "FALSE", "true": "false", "True": "False"}[text]
    assert not params.typed(_Some, {"desiredPodCount": 1, "isFatal": no})[0].is_fatal


def test_a_number_without_end_is_no_whole_number() -> None:
    with pytest.raises(InputError, match="desiredPodCount"):
        params.typed(_Some, {"desiredPodCount": float("inf")})


def test_items_of_a_command_become_text() -> None:
    raw = {"desiredPodCount": 1, "command": ["sleep", 5.0, True, 0.5]}
    typed, _ = params.typed(_Some, raw)
    assert typed.command == ("sleep", "5", "true", "0.5")


def test_an_unknown_key_is_a_warning_that_names_the_likely_one() -> None:
    _, warnings = params.typed(_Some, {"desiredPodCount": 1, "timeot": "5s", "zzz": 1})
    assert warnings == [
        "params.timeot: unknown parameter; did you mean 'timeout'?",
        "params.zzz: unknown parameter",
    ]


def test_null_means_the_default() -> None:
    typed, _ = params.typed(_Some, {"desiredPodCount": 1, "timeout": None})
    assert typed.timeout == 5


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({}, "params: Object missing required field `desiredPodCount`"),
        ({"desiredPodCount": "x"}, "params.desiredPodCount: Expected `int`, got `str`"),
        (
            {"desiredPodCount": 1, "timeout": 5},
            'params.timeout: 5 is not a duration: write it as "90s" or "10m"',
        ),
        (
            {"desiredPodCount": 1, "timeout": "5"},
            'params.timeout: time: missing unit in duration "5"',
        ),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_path(raw: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as caught:
        params.typed(_Some, raw)
    assert str(caught.value) == said


def test_free_parameters_know_every_key() -> None:
    typed, warnings = params.typed(FreeParams, {"action": "start", "any": {"thing": 1}})
    assert (typed.action, typed.values["any"], warnings) == ("start", {"thing": 1}, [])


def test_start_and_stop_are_other_words_for_two_actions() -> None:
    assert params.with_action({"start": True, "x": 1}) == {"action": "start", "x": 1}
    assert params.with_action({"stop": True}) == {"action": "gather"}
    assert params.with_action({"action": "stop", "start": True})["action"] == "stop"
    assert params.with_action({"start": "now"}) == {"start": "now"}


def test_free_parameters_are_as_they_are_written() -> None:
    written = {"start": True, "Deep": {"x": [1, None]}, "count": 3}
    typed, warnings = params.typed(FreeParams, written)
    assert (typed.action, typed.values, warnings) == ("start", written, [])


def test_a_measurement_may_have_a_parameter_of_the_name_start() -> None:
    class Own(Params, frozen=True, kw_only=True):
        start: bool = False
        stop: str = ""

    typed, warnings = params.typed(Own, {"start": True, "stop": "late"})
    assert (typed.action, typed.start, typed.stop, warnings) == ("start", True, "late", [])


def test_selectors_are_told_in_words() -> None:
    assert Selecting().selected == "everything"
    told = Selecting(namespace="a", label_selector="b=c", field_selector="d=e").selected
    assert told == "namespace(a), labelSelector(b=c), fieldSelector(d=e)"
