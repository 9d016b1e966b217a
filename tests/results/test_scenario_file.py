from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kubestage.errors import InputError
from kubestage.results import run_record, scenario_file
from kubestage.scheduler import explanation
from kubestage.testing import make_pod
from tests.results import samples

if TYPE_CHECKING:
    import pathlib

    from kubestage.results.run_record_reader import RecordReader

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def written(obj: Any, record: RecordReader | None = None) -> bytes:
    out = io.BytesIO()
    scenario_file.write_scenario(obj, out, record)
    return out.getvalue()


def test_what_is_written_is_read_back(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "any.json"
    path.write_bytes(written(samples.rivalry()))
    assert scenario_file.read_scenario(path) == samples.rivalry()


def test_each_event_has_a_line_of_its_own() -> None:
    lines = written(samples.rivalry()).splitlines()
    assert sum(line.startswith(b'{"id":') for line in lines) == 9


@given(VALUES, VALUES, VALUES)
def test_whatever_a_scenario_holds_is_written_as_it_is(spec: Any, events: Any, step: Any) -> None:
    result = {"timeline": {"0": step, "1": [step]}, "other": events}
    obj = {"spec": {"events": events, "x": spec}, "status": {"scenarioResult": result}, "y": spec}
    assert msgspec.json.decode(written(obj)) == obj


def test_attempts_get_the_details_that_were_streamed_to_the_record(tmp_path: pathlib.Path) -> None:
    scenario = samples.rivalry()
    samples.write_record(tmp_path / "r.sqlite", scenario)
    with run_record.open(tmp_path / "r.sqlite") as record:
        told = msgspec.json.decode(written(scenario, record))
    timeline = told["status"]["scenarioResult"]["timeline"]
    refused, taken = timeline["1"][3]["podScheduled"]["scheduleResult"]
    assert refused["preemption"] == {"nominatedNode": "n1", "victims": ["default/weak"]}
    assert refused | explanation.schedule_result(samples.story(2)) == refused
    assert taken["allFilteredNodes"] == ["n1"]
    assert taken["pluginResults"]["score"] == {
        "n1": {"ImageLocality": {"rawScore": 7, "normalizedScore": 50, "finalScore": 3}}
    }


def test_details_that_are_there_already_stay(tmp_path: pathlib.Path) -> None:
    scenario = samples.rivalry()
    samples.write_record(tmp_path / "r.sqlite", scenario)
    result = scenario["status"]["scenarioResult"]["timeline"]["0"][2]["podScheduled"]
    result["scheduleResult"][0]["pluginResults"] = {"kept": True}
    with run_record.open(tmp_path / "r.sqlite") as record:
        told = msgspec.json.decode(written(scenario, record))
    attempts = told["status"]["scenarioResult"]["timeline"]["0"][2]["podScheduled"]
    assert attempts == result


def test_a_record_without_details_adds_nothing(tmp_path: pathlib.Path) -> None:
    samples.write_record(tmp_path / "r.sqlite", samples.rivalry(), detailed=False)
    with run_record.open(tmp_path / "r.sqlite") as record:
        assert msgspec.json.decode(written(samples.rivalry(), record)) == samples.rivalry()


def test_a_scenario_may_be_yaml_among_other_documents(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "all.yaml"
    path.write_text(yaml.safe_dump_all([make_pod("web"), samples.rivalry()]))
    assert scenario_file.read_scenario(path) == samples.rivalry()


def test_what_is_no_scenario_with_a_status_is_refused_with_a_cure(tmp_path: pathlib.Path) -> None:
    not_run = {key: value for key, value in samples.rivalry().items() if key != "status"}
    refusals = {
        "holds no Scenario": yaml.safe_dump(make_pod("web")),
        "the Scenario has no status": yaml.safe_dump(not_run),
        "holds several Scenarios: story, other": yaml.safe_dump_all(
            [samples.rivalry(), samples.scenario({}, "other")]
        ),
        "expected an object": "[1, 2]",
    }
    path = tmp_path / "file.yaml"
    for problem, text in refusals.items():
        path.write_text(text)
        with pytest.raises(InputError, match=problem) as refusal:
            scenario_file.read_scenario(path)
        assert refusal.value.file == str(path)
        assert refusal.value.fix
