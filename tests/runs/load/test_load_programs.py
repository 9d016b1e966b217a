"""Loads whose pods call the API: their calls are measured, and what has no model is reported."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.runs.load import planning, running
from kubestage.runs.load.options import LoadOptions
from tests.cli import loads

if TYPE_CHECKING:
    from kubestage.runs.load.results import LoadResults

CONFIG = """
name: generated
namespace: {number: 1}
tuningSets:
- name: Uniform
  qpsLoad: {qps: 10}
steps:
- name: Create targets
  phases:
  - namespaceRange: {min: 1, max: 1}
    replicasPerNamespace: 3
    tuningSet: Uniform
    objectBundle:
    - {basename: bench, objectTemplatePath: pod.yaml}
- name: Start
  measurements:
  - method: APIResponsivenessPrometheus
    identifier: calls
    params: {action: start}
- name: Generate
  phases:
  - namespaceRange: {min: 1, max: 1}
    replicasPerNamespace: 1
    tuningSet: Uniform
    objectBundle:
    - {basename: generator, objectTemplatePath: generator.yaml}
- name: Wait
  measurements:
  - method: Sleep
    identifier: wait
    params: {duration: 1m}
- name: Stop
  phases:
  - namespaceRange: {min: 1, max: 1}
    replicasPerNamespace: 0
    tuningSet: Uniform
    objectBundle:
    - {basename: generator, objectTemplatePath: generator.yaml}
- name: Gather
  measurements:
  - method: APIResponsivenessPrometheus
    identifier: calls
    params: {action: gather}
"""
GENERATOR = """
apiVersion: v1
kind: Pod
metadata:
  labels:
    group: generator
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: main
    image: IMAGE
    args: ARGS
"""
BENCHMARK = "registry.example/perf-tests-util/request-benchmark:v0.0.12"
WRITER = '[patch, "--namespace={{.Namespace}}", --pod-count=3, --pod-name-prefix=bench-, --qps=20]'
LISTER = '["--uri=/api/v1/pods?resourceVersion=0", --qps=5]'
OWN = """
from kubestage.cluster.load_programs.framework import Call, Program, Resource


class Reader(Program):
    def start(self):
        call = Call(verb="get", resource=Resource("v1", "Namespace"), name="default")
        self.client.call(call)
        self.client.after(100_000_000, self.start)


class Broken(Program):
    def start(self):
        self.client.after(1_000_000, self.fail)

    def fail(self):
        raise TypeError("of a person's own making")


class Unfinished(Program):
    pass


class Alien:
    pass
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("own.py").write_text(OWN)


def run(image: str, args: str = "[]", *programs: str, strict: bool = False) -> LoadResults:
    """A load with one such pod, which runs for a minute."""
    generator = GENERATOR.replace("IMAGE", image).replace("ARGS", args)
    config = loads.write(CONFIG, generator=generator)
    return running.load(config, LoadOptions(nodes=2, programs=programs, is_strict=strict))


def problems(results: LoadResults) -> list[str]:
    """What is reported about programs, as errors if the load is strict."""
    [test] = results.completed
    found = test.result.errors if results.options.is_strict else test.result.warnings
    return [each for each in found if each.startswith("image ")]


def counts(results: LoadResults) -> dict[tuple[str, str], int]:
    """How many calls APIResponsiveness has, by verb and resource."""
    [test] = results.completed
    *_, measured = (each for each in test.result.measured if each.identifier == "calls")
    found: dict[tuple[str, str], int] = {}
    for item in json.loads(measured.outcome.summaries[0].content)["dataItems"]:
        labels = item["labels"]
        key = (labels["Verb"], labels["Resource"])
        found[key] = found.get(key, 0) + int(labels["Count"])
    return found


def test_the_calls_of_a_writer_are_samples_of_api_responsiveness() -> None:
    results = run(BENCHMARK, WRITER)
    assert problems(results) == []
    # The pod needs about three seconds to start; its first ten patches need no token.
    assert 20 * 56 <= counts(results)["PATCH", "pods"] <= 20 * 60 + 10


def test_the_calls_of_a_lister_are_samples_of_api_responsiveness() -> None:
    assert 5 * 56 <= counts(run(BENCHMARK, LISTER))["LIST", "pods"] <= 5 * 60 + 10 + 5


def test_the_same_seed_gives_the_same_calls() -> None:
    assert counts(run(BENCHMARK, WRITER)) == counts(run(BENCHMARK, WRITER))


def test_an_unknown_image_warns_and_fails_if_the_load_is_strict() -> None:
    image = "registry.example/perf-tests-util/mystery:v1"
    [problem] = problems(run(image))
    assert problem.startswith(f"image {image}: is likely to call the API, and has no model")
    assert "--program mystery=module:Class" in problem
    strict = run(image, strict=True)
    assert strict.failed
    assert problems(strict) == [problem]


@pytest.mark.parametrize("kind", ["Pod", "Deployment", "CronJob"])
def test_the_plan_has_images_without_a_program(kind: str) -> None:
    image = "registry.example/perf-tests-util/mystery:v1"
    spec = f"{{containers: [{{name: a, image: '{image}'}}, {{name: b, image: pause}}]}}"
    if kind == "Deployment":
        template = f"{{metadata: {{labels: {{a: b}}}}, spec: {spec}}}"
        spec = f"{{selector: {{matchLabels: {{a: b}}}}, template: {template}}}"
    elif kind == "CronJob":
        template = f"{{spec: {spec.replace('{', '{restartPolicy: Never, ', 1)}}}"
        spec = f"{{schedule: '* * * * *', jobTemplate: {{spec: {{template: {template}}}}}}}"
    version = {"Pod": "v1", "Deployment": "apps/v1", "CronJob": "batch/v1"}[kind]
    name = loads.write(pod=f"apiVersion: {version}\nkind: {kind}\nspec: {spec}\n")
    [planned] = planning.plan_load(name, LoadOptions(nodes=1))
    [warning] = [each for each in planned.warnings if each.startswith("image ")]
    assert warning.startswith(f"image {image}: is likely to call the API, and has no model")
    assert planned.is_sound
    [strict] = planning.plan_load(name, LoadOptions(nodes=1, is_strict=True))
    assert warning in strict.problems
    modelled = LoadOptions(nodes=1, programs=("mystery=own.py:Reader",))
    assert not planning.plan_load(name, modelled)[0].warnings


def test_unknown_arguments_warn_and_fail_if_the_load_is_strict() -> None:
    [problem] = problems(run(BENCHMARK, "[patch, --speed=9]"))
    assert "the flag --speed is not known" in problem
    strict = run(BENCHMARK, "[patch, --speed=9]", strict=True)
    assert strict.failed
    assert problems(strict) == [problem]


def test_a_program_of_the_user() -> None:
    results = run("registry.example/perf-tests-util/mystery:v1", "[]", "mystery=own.py:Reader")
    assert problems(results) == []
    assert 10 * 56 <= counts(results)["GET", "namespaces"] <= 10 * 62


def test_a_failure_of_such_a_program_is_reported_at_its_line() -> None:
    with pytest.raises(InputError, match="of a person's own making") as caught:
        run("mystery", "[]", "mystery=own.py:Broken")
    assert (caught.value.file, caught.value.line) == ("own.py", 17)


REFUSED = {
    "own.py:Reader": "names no image",
    "=own.py:Reader": "names no image",
    "x=Reader": "names no class",
    "x=own.py:Absent": "has no class Absent",
    "x=own.py:Alien": "is no program",
    "x=own.py:Unfinished": "has no method start",
    "x=nix:Y": "there is no module nix",
}


@pytest.mark.parametrize("option", REFUSED)
def test_what_is_no_program_is_refused(option: str) -> None:
    for function in (running.load, planning.plan_load):
        with pytest.raises(InputError, match=REFUSED[option]) as caught:
            function(loads.write(), LoadOptions(nodes=1, programs=(option,)))
        assert caught.value.path == "--program"


def test_an_image_has_one_program() -> None:
    both = ("x=own.py:Reader", "x:v1=own.py:Broken")
    with pytest.raises(InputError, match="has a program already"):
        running.load(loads.write(), LoadOptions(nodes=1, programs=both))


def test_a_real_cluster_runs_the_images_itself() -> None:
    with pytest.raises(InputError, match="a real cluster runs the images"):
        running.load(loads.write(), LoadOptions(kubeconfig="k", programs=("x=own.py:Reader",)))
