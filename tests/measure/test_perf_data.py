"""PerfData is written byte for byte as Go writes it."""

from __future__ import annotations

import math

import pytest

from kubestage.measure import perf_data
from kubestage.measure.perf_data import DataItem, PerfData


def test_a_file_is_indented_sorted_and_ends_with_a_newline() -> None:
    items = (
        DataItem({"Perc99": 1900.0, "Perc50": 812.5}, "ms", {"b": "x<y", "Metric": "pod_startup"}),
        DataItem({}, "s"),
    )
    assert PerfData("1.0", items).to_json() == (
        '{\n  "version": "1.0",\n  "dataItems": [\n    {\n      "data": {\n'
        '        "Perc50": 812.5,\n        "Perc99": 1900\n      },\n'
        '      "unit": "ms",\n      "labels": {\n        "Metric": "pod_startup",\n'
        '        "b": "x\\u003cy"\n      }\n    },\n    {\n      "data": {},\n'
        '      "unit": "s"\n    }\n  ]\n}\n'
    )


def test_labels_of_the_set_come_last_and_no_items_are_null() -> None:
    written = PerfData("v1", labels={"test": "phases"}).to_json()
    assert written == (
        '{\n  "version": "v1",\n  "dataItems": null,\n  "labels": {\n    "test": "phases"\n  }\n}\n'
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (1900.0, "1900"),
        (0.1, "0.1"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (1e-6, "0.000001"),
        (9.9e-7, "9.9e-7"),
        (-2.5e-10, "-2.5e-10"),
        (123456789.125, "123456789.125"),
    ],
)
def test_numbers_are_written_as_go_writes_them(value: float, text: str) -> None:
    assert perf_data.number(value) == text


def test_a_number_that_json_has_no_word_for_is_an_error() -> None:
    with pytest.raises(ValueError, match="unsupported value"):
        perf_data.pretty({"x": math.nan})


def test_values_of_every_kind_keep_their_order() -> None:
    assert perf_data.pretty({"b": [1, True, None, "\n"], "a": [], "c": ()}) == (
        '{\n  "b": [\n    1,\n    true,\n    null,\n    "\\n"\n  ],\n  "a": [],\n  "c": []\n}\n'
    )
