"""The text form of metrics is read as components write it."""

from __future__ import annotations

import math

from kubestage.metrics import families
from kubestage.metrics.families import Counter, Histogram
from kubestage.promql import exposition


def test_names_labels_and_values_are_read_in_order() -> None:
    text = '# HELP a b\na{x="1",y="}{ \\"q\\" \\\\ \\n"} 2 1700000000\n\nb 1e+06\n'
    assert list(exposition.read(text)) == [
        ("a", {"x": "1", "y": '}{ "q" \\ \n'}, 2.0),
        ("b", {}, 1e6),
    ]


def test_times_and_examples_after_a_value_are_passed_over() -> None:
    text = 'a_bucket{le="1"} 5 # {trace="x"} 0.5\nb 2 1700000000.5\nc{x="#"} 3\n'
    assert [(line.name, line.value) for line in exposition.read(text)] == [
        ("a_bucket", 5.0),
        ("b", 2.0),
        ("c", 3.0),
    ]


def test_there_are_numbers_that_are_none() -> None:
    values = [line.value for line in exposition.read("a +Inf\na -Inf\na NaN\n")]
    assert values[:2] == [math.inf, -math.inf]
    assert math.isnan(values[2])


def test_lines_that_say_nothing_are_passed_over() -> None:
    assert list(exposition.read('no number\n{x="1"} 2\n1a 3\na{x="1"}\n<html>\n')) == []


def test_what_our_own_components_write_is_read_back() -> None:
    counter = Counter("c_total", "ALPHA", "Some.", ("verb",))
    counter.increase('G"E\\T\n', times=3)
    histogram = Histogram("h_seconds", "ALPHA", "Some.", (0.5, 1e6))
    histogram.distribution().observe(0.2, 2)
    lines = list(exposition.read(families.exposition([counter, histogram])))
    assert lines[0] == ("c_total", {"verb": 'G"E\\T\n'}, 3.0)
    assert [(line.name, line.labels.get("le"), line.value) for line in lines[1:]] == [
        ("h_seconds_bucket", "0.5", 2.0),
        ("h_seconds_bucket", "1e+06", 2.0),
        ("h_seconds_bucket", "+Inf", 2.0),
        ("h_seconds_sum", None, 0.4),
        ("h_seconds_count", None, 2.0),
    ]
