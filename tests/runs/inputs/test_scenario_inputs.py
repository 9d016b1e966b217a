"""Files become Scenarios: those that are written, imports, or the one that manifests mean."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.runs.inputs import scenario_inputs, stage_inputs
from kubestage.testing import make_deployment, make_node, make_pod
from tests.cli import clusters, scenarios
from tests.scenario import building
from tests.scenario.building import create, done

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.runs.inputs.scenario_inputs import Inputs
    from tests.cli.terminal import Terminal


EXPORT = "nodes: []\npods: []\npvs: []\npvcs: []\nstorageClasses: []\npriorityClasses: []\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(*objects: Json, is_alive: bool | None = None) -> Inputs:
    clusters.write("all.json", *objects)
    return scenario_inputs.read(stage_inputs.load(["all.json"], None), is_alive)


def recorded(obj: Json, **metadata: Any) -> Json:
    return {**obj, "metadata": {**obj["metadata"], "uid": "uid-1", **metadata}}


def told(scenario: Json) -> list[tuple[int, str, bool]]:
    """Step, name and whether it is put there as recorded, of each object that is created."""
    found = []
    for event in scenario["spec"]["events"]:
        if event["operation"] == "Create":
            body = event["createOperation"]
            name = body["object"]["metadata"]["name"]
            found.append((event["step"], name, bool(body.get("asRecorded"))))
    return found


def test_manifests_mean_a_cluster_first_and_then_what_is_asked_of_it() -> None:
    inputs = read(make_pod("web"), make_node("a"), make_deployment("api"))
    (scenario,) = inputs.scenarios
    assert (inputs.is_implicit, inputs.is_alive, inputs.start) == (True, True, None)
    assert scenario["metadata"]["name"] == scenario_inputs.IMPLICIT
    # Nodes of a manifest have a status, and keep it.
    assert told(scenario) == [(0, "a", True), (1, "web", False), (1, "api", False)]
    assert scenario["spec"]["events"][-1] == done(1)


def test_without_anything_asked_there_is_one_step() -> None:
    (scenario,) = read(make_node("a")).scenarios
    assert scenario["spec"]["events"][-1] == done(0)


def test_without_controllers_all_is_there_at_once_as_it_was_recorded() -> None:
    (scenario,) = read(make_pod("web"), make_node("a"), is_alive=False).scenarios
    assert told(scenario) == [(0, "web", True), (0, "a", True)]


def test_what_controllers_look_after_and_was_recorded_elsewhere_keeps_them_out() -> None:
    assert read(make_node("a"), make_deployment("api")).is_alive
    assert read(recorded(make_node("a")), recorded(make_pod("web"))).is_alive
    assert not read(recorded(make_deployment("api"))).is_alive
    owner = {"apiVersion": "v1", "kind": "ReplicaSet", "name": "x", "uid": "y"}
    assert not read(recorded(make_pod("web"), ownerReferences=[owner])).is_alive
    assert read(recorded(make_deployment("api")), is_alive=True).is_alive


def test_what_a_scenario_puts_there_as_recorded_counts_too() -> None:
    event = create(recorded(make_deployment("api")), asRecorded=True)
    assert not read(building.scenario(event)).is_alive
    assert read(building.scenario(create(make_deployment("api")))).is_alive


def test_time_begins_with_the_newest_moment_that_was_recorded() -> None:
    old = recorded(make_pod("old"), creationTimestamp="2026-05-04T03:02:01Z")
    new = recorded(make_pod("new"), creationTimestamp="2026-05-04T03:02:02Z")
    assert read(new, old).start == "2026-05-04T03:02:02Z"
    event = create(new, asRecorded=True)
    assert read(building.scenario(event)).start == "2026-05-04T03:02:02Z"


def test_what_is_written_beside_scenarios_is_there_when_each_begins() -> None:
    first = building.scenario(create(make_pod("web"), 5), done(6), name="first")
    second = building.scenario(done(1), name="second")
    inputs = read(make_pod("beside"), first, second, make_node("a"))
    assert not inputs.is_implicit
    one, other = inputs.scenarios
    assert told(one) == [(5, "beside", False), (5, "a", True), (5, "web", False)]
    assert told(other) == [(1, "beside", False), (1, "a", True)]


def test_events_that_are_added_take_ids_that_are_free() -> None:
    taken = {**create(make_pod("web")), "id": "given-0"}
    inputs = read(
        building.scenario(taken, {**done(), "id": "given-2"}), make_node("a"), make_node("b")
    )
    (scenario,) = inputs.scenarios
    ids = [event["id"] for event in scenario["spec"]["events"]]
    assert ids == ["given-1", "given-3", "given-0", "given-2"]
    assert [each.object["metadata"]["name"] for each in inputs.places.values()] == ["a", "b"]


def test_an_event_that_will_fail_the_run_is_not_in_the_way() -> None:
    (scenario,) = read(building.scenario({"operation": "Create"}), make_node("a")).scenarios
    assert told({"spec": {"events": scenario["spec"]["events"][:1]}}) == [(0, "a", True)]


def test_a_scenario_is_taken_without_what_a_cluster_has_made_of_it() -> None:
    written = building.scenario(done(), name="it")
    labels = {"team": "blue"}
    made = {"uid": "u", "resourceVersion": "7", "generation": 2, "labels": labels}
    inputs = read({**written, "metadata": {"name": "it", **made}, "status": {"phase": "Running"}})
    assert inputs.scenarios == [{**written, "metadata": {"name": "it", "labels": labels}}]


def test_each_scenario_can_be_had_by_itself() -> None:
    inputs = read(building.scenario(done(), name="a"), building.scenario(done(), name="b"))
    alone = list(inputs.one_by_one())
    assert [each.scenarios for each in alone] == [[each] for each in inputs.scenarios]
    assert all(each.is_alive == inputs.is_alive for each in alone)


def refused(terminal: Terminal, *arguments: str) -> str:
    result = terminal.run("run", *arguments)
    assert (result.code, result.out) == (2, "")
    return result.err


def test_two_scenarios_of_one_name_are_refused_at_the_second(terminal: Terminal) -> None:
    scenarios.write(building.scenario(done()), "one.json")
    scenarios.write(building.scenario(done()), "two.json")
    fix = "  fix: give each a name of its own, or run them one by one\n"
    problem = 'Error: two.json:1: metadata.name: one.json has a Scenario "it" too\n'
    assert refused(terminal, "one.json", "two.json") == problem + fix
    problem = 'Error: one.json:1: metadata.name: one.json has a Scenario "it" too\n'
    assert refused(terminal, "one.json", "one.json") == problem + fix


def test_two_imports_of_one_name_are_refused(terminal: Terminal) -> None:
    pathlib.Path("other").mkdir()
    for place in ("mine.yml", "other/mine.yml"):
        pathlib.Path(place).write_text(EXPORT)
    assert refused(terminal, "mine.yml", "other") == (
        'Error: two Scenarios are called "mine"\n'
        "  fix: rename a file: what is imported is called after its file\n"
    )


@pytest.mark.parametrize(
    "text", ["", "# nothing\n---\n", "apiVersion: v1\nkind: List\nitems: []\n"]
)
def test_files_without_anything_in_them_are_refused(text: str, terminal: Terminal) -> None:
    pathlib.Path("m.yaml").write_text(text)
    assert refused(terminal, "m.yaml", "--out", "kept") == (
        "Error: m.yaml: there is nothing to run\n"
        "  fix: name files with Scenarios, or with the objects of a cluster\n"
    )
    assert not pathlib.Path("kept").exists()


def test_an_object_beside_a_scenario_that_is_refused_is_told_at_its_line(
    terminal: Terminal,
) -> None:
    scenarios.write(building.scenario(done()))
    node = json.dumps(make_node("a"))
    pathlib.Path("m.yaml").write_text(f"{node}\n---\n{node}\n")
    assert refused(terminal, "scenario.json", "m.yaml", "--out", "kept") == (
        'Error: m.yaml:3: nodes "a" already exists\n'
    )
    assert not pathlib.Path("kept").exists()


def test_an_object_of_a_scenario_that_is_there_already_fails_the_scenario(
    terminal: Terminal,
) -> None:
    scenarios.write(building.scenario(create(make_node("a")), done()))
    clusters.write("m.json", make_node("a"))
    result = terminal.run("run", "scenario.json", "m.json")
    assert result.code == 1
    assert result.err == 'Error: it: event "create-node-a-0": nodes "a" already exists\n'
