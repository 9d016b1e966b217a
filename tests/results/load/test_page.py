"""The page of a load: alone in one file, with what people ask for first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kubestage.clusterloader.result import Measured
from kubestage.measure.results import MeasurementResult, Verdict
from kubestage.results.load import page
from kubestage.results.load.about import About
from kubestage.results.report import drawings
from tests.results.load.loads import (
    ABOUT,
    make_calls,
    make_latencies,
    make_outcome,
    make_result,
)
from tests.results.report.test_page import EVIL, Page

if TYPE_CHECKING:
    import pytest


def text(rendered: str) -> str:
    return re.sub(r"\s+", " ", " ".join(Page(rendered).texts))


def told_of(**changes: object) -> str:
    return text(page.rendered([make_result(**changes)], ABOUT, [[]]))


def test_the_page_tells_what_people_ask_for_first() -> None:
    told = told_of()
    for said in (
        "density Failed",
        "4 API calls in 65 s. 0 of 2 thresholds held, 1 had no sample. 1 measurement was skipped.",
        "Thresholds held 0 of 2, 1 without a sample",
        "There was 1 error.",
        "Nodes 3",
        "Seed 7",
        "Run it again: kubestage load c.yaml",
        "Failed pod_startup p99 6.5 s ≤ 5 s 4 PodStartupLatency – Pods",
        "No samples Stateful pod_startup p99 – ≤ 5 s 0",
        "Errors (1) measurement call PodStartupLatency - Pods error: too high",
        "Warnings (1) a step has no name",
        "DnsLookupLatency Dns needs prober pods",
        "pod_startup 4 1 s 2 s 6.5 s 6.5 s 6.5 s PodStartupLatency – Pods (step 2)",
        "ns-1/pod-3 6.5 s 2 s ns-1/pod-2 3 s 1 s",
        "[step: 02] Gather [00] - Pods Failed 11 s 47 µs",
        "byte for byte",
    ):
        assert said in told


def test_a_pass_an_interruption_and_a_miss_that_is_not_enforced_are_told_apart() -> None:
    assert "density Passed" in told_of(errors=[], steps=[])
    assert "density Interrupted The run was broken off." in told_of(errors=[], is_interrupted=True)
    lax = Verdict(
        name="rate", passed=False, value=3, threshold=4, is_upper=False, is_enforced=False
    )
    told = told_of(measured=[Measured("M", "M", 1, MeasurementResult(verdicts=(lax,)))])
    assert "Missed, not enforced rate 3 ≥ 4 – M" in told


def test_a_real_cluster_is_not_said_to_be_virtual() -> None:
    about = About(version="0.1", cluster="https://10.0.0.1:6443")
    told = text(page.rendered([make_result()], about, [[]]))
    assert "Cluster https://10.0.0.1:6443" in told
    assert "virtual" not in told
    assert "Seed" not in told


def test_several_tests_are_told_apart() -> None:
    results = [make_result(identifier="one", errors=[]), make_result(identifier="two")]
    told = text(page.rendered(results, ABOUT, [[], []]))
    assert "2 load tests Failed 1 of 2 tests passed." in told
    assert "Tests In the order in which they ran." in told
    assert "two: measurement call" in told
    assert "two: Pods" in told


def test_alike_problems_are_told_once_and_many_are_cut() -> None:
    errors = ["the same"] * 3 + [f"error {at}" for at in range(500)] + ["x" * 9000]
    told = told_of(errors=errors)
    assert "Errors (504) the same (3 times) error 0" in told
    assert "Show 195 more" in told
    assert "and 302 more, in load.sqlite" in told
    assert "error 300" not in told
    long = told_of(errors=["x" * 8990 + " a reason"])
    assert "x ... (8,199 characters) ... x" in long
    assert "x a reason" in long


def test_measurements_with_a_metric_each_share_a_table_of_the_slowest() -> None:
    measured = [
        Measured(
            "Wait", "Jobs", 1, MeasurementResult(latencies=(make_latencies("job_running", [5]),))
        ),
        Measured(
            "Wait", "Jobs", 2, MeasurementResult(latencies=(make_latencies("job_running", [1]),))
        ),
        Measured(
            "Wait", "Sets", 2, MeasurementResult(latencies=(make_latencies("set_running", [9]),))
        ),
    ]
    told = told_of(measured=measured)
    assert "Wait Object Metric Took ns-1/pod-0 set_running 9 s ns-1/pod-0 job_running 5 s" in told


def test_an_empty_load_has_a_page() -> None:
    told = told_of(steps=[], measured=[], errors=[], warnings=[], calls=make_calls([]))
    assert "0 API calls" in told
    assert "Slowest" not in told


def test_nothing_becomes_markup() -> None:
    outcome = MeasurementResult(
        verdicts=(Verdict(name=EVIL, passed=True, unit=EVIL, value=1),),
        latencies=(make_latencies(EVIL, [1, 2]),),
        skipped=EVIL,
    )
    result = make_result(
        name=EVIL, path=EVIL, errors=[EVIL], measured=[Measured(EVIL, EVIL, 1, outcome)]
    )
    about = About(version=EVIL, command=EVIL, profile=EVIL)
    rendered = page.rendered([result], about, [[]])
    told = Page(rendered)
    assert told.open == []
    assert len(told.scripts) == 2
    assert not [tag for tag, _ in told.elements if tag == "img"]


def test_without_what_draws_the_page_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawings, "can_draw", bool)
    assert "pip install 'kubestage[charts]'" in text(page.render([make_result()], ABOUT))


def test_the_page_loads_nothing_and_its_charts_are_in_it() -> None:
    outcome = make_outcome()
    result = make_result(measured=[Measured("PodStartupLatency", "Pods", 2, outcome)])
    rendered = page.render([result], ABOUT)
    told = Page(rendered)
    assert told.open == []
    sources = [
        value or ""
        for _, attributes in told.elements
        for name, value in attributes.items()
        if name in ("src", "href", "xlink:href")
    ]
    assert sources
    assert all(source.startswith("#") for source in sources)
    assert "@import" not in rendered
    titles = [
        "Steps",
        "API calls of the load",
        "How long API calls took",
        "Pods so far",
        "Pods a second",
        "How long it took: Pods",
        "Scheduling throughput (Pods)",
    ]
    assert [each for each in titles if f"<h3>{each}</h3>" in rendered] == titles
    assert page.render([result], ABOUT) == rendered
    assert rendered.count("<svg") == len(titles)


def test_pods_that_were_scheduled_and_never_ran_are_told_of() -> None:
    seen = make_latencies("create_to_schedule", [0.5, 0.7]), make_latencies("pod_startup", [])
    measured = [Measured("PodStartupLatency", "own", 1, MeasurementResult(latencies=seen))]
    assert "Object create_to_schedule" in told_of(measured=measured)
