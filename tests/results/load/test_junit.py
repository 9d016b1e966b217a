"""junit.xml: ClusterLoader2's bytes, with true counts."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from kubestage.clusterloader.result import Measured, StepResult, Substep
from kubestage.measure.results import MeasurementResult
from kubestage.results.load import junit
from tests.results.load.loads import SECOND, make_result

FAILURE = (
    '<failure type="Failure">:0&#xA;[measurement call PodStartupLatency - Pods error: too high]'
    "&#xA;:0</failure>"
)
CLASS = 'classname="ClusterLoaderV2"'
EXPECTED = f"""\
<?xml version="1.0" encoding="UTF-8"?>
  <testsuite name="ClusterLoaderV2" tests="4" failures="2" errors="0" time="64.957">
      <testcase name="density overall (density/config.yaml)" {CLASS} time="64.9575">
          {FAILURE}
      </testcase>
      <testcase name="density: [step: 01] Create &lt;pods&gt;" {CLASS} time="10"></testcase>
      <testcase name="density: [step: 02] Gather [00] - Pods" {CLASS} time="4.7e-05">
          {FAILURE}
      </testcase>
      <testcase name="density: [step: 02] Gather [01] - Other" {CLASS} time="0.005"></testcase>
  </testsuite>"""


def test_the_bytes_are_those_of_ginkgo_by_way_of_clusterloader2() -> None:
    assert junit.render([make_result()]) == EXPECTED


def test_a_suite_has_the_cases_of_all_tests_in_order_under_their_identifiers() -> None:
    passed = make_result(identifier="one", errors=[], steps=[], took_ns=SECOND)
    told = ET.fromstring(junit.render([passed, make_result(identifier="two")]))
    names = [case.attrib["name"] for case in told]
    assert names[0] == "one overall (density/config.yaml)"
    assert names[1] == "two overall (density/config.yaml)"
    assert [told.attrib[key] for key in ("tests", "failures", "time")] == ["5", "2", "65.957"]


def test_errors_stand_one_below_the_other() -> None:
    told = ET.fromstring(junit.render([make_result(errors=["one", "two"], steps=[])]))
    assert told[0][0].text == ":0\n[one\ntwo]\n:0"


def test_a_run_that_was_broken_off_is_no_pass() -> None:
    told = ET.fromstring(junit.render([make_result(errors=[], steps=[], is_interrupted=True)]))
    assert told.attrib["failures"] == "1"
    assert told[0][0].text == ":0\n[interrupted]\n:0"


def test_what_was_skipped_is_no_green_case() -> None:
    substeps = (
        Substep("[step: 01] Gather [00] - Dns", SECOND, (), "needs <probes>"),
        Substep("[step: 01] Gather [01] - Bad", SECOND, ("no",), "needs probes"),
    )
    step = StepResult(1, "[step: 01] Gather", 0, SECOND, is_named=True, substeps=substeps)
    skipped = [Measured("DnsLookupLatency", "Dns", 1, MeasurementResult(skipped="needs <probes>"))]
    text = junit.render([make_result(errors=[], steps=[step], measured=skipped)])
    found = ET.fromstring(text)
    assert found.attrib["skipped"] == "2"
    assert [[each.tag for each in case] for case in found] == [
        ["skipped"],
        ["skipped"],
        ["failure"],
    ]
    assert [case[0].attrib.get("message") for case in found] == [
        "nothing measured",
        "needs <probes>",
        None,
    ]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\"quoted\" & 'single'", "&#34;quoted&#34; &amp; &#39;single&#39;"),
        ("a\tb\rc", "a&#x9;b&#xD;c"),
        ("nul\0 and \ud800 and \ufffe", "nul\ufffd and \ufffd and \ufffd"),
        ("größer 🙂", "größer 🙂"),
    ],
)
def test_texts_are_escaped_as_go_does(text: str, written: str) -> None:
    assert f"[{written}]" in junit.render([make_result(errors=[text], steps=[])])


@pytest.mark.parametrize(
    ("took_ns", "suite", "case"),
    [
        (0, "0", "0"),
        (1_234_567_891, "1.234", "1.234567891"),
        (2_000_000 * SECOND, "2e+06", "2e+06"),
    ],
)
def test_times_are_written_as_go_writes_floats(took_ns: int, suite: str, case: str) -> None:
    told = ET.fromstring(junit.render([make_result(took_ns=took_ns, steps=[])]))
    assert (told.attrib["time"], told[0].attrib["time"]) == (suite, case)
