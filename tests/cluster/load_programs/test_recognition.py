"""Which images have programs, and what happens with those that are not understood."""

from __future__ import annotations

import pytest

from kubestage.cluster.access import Call, Resource
from kubestage.cluster.load_programs import images
from kubestage.cluster.load_programs.program import Program
from kubestage.errors import Unmodelled
from tests.cluster import stages
from tests.cluster.load_programs.pods import BENCHMARK, Staged

ODD = {
    "no arguments": ((), "without arguments it only prints its help"),
    "mode": (("boil",), '"boil" is none of http, informer, patch, watch'),
    "flag": (("patch", "--speed=9"), "the flag --speed is not known"),
    "word": (("watch", "pods"), 'the argument "pods" is not understood'),
    "no value": (("http", "--uri"), "the flag --uri has no value"),
    "rate": (("--uri=/readyz", "--qps=0"), "--qps is above 0, not 0"),
    "number": (("--uri=/readyz", "--qps=x"), '--qps: "x" is no number'),
    "whole": (("--uri=/readyz", "--inflight=x"), '--inflight: "x" is no number from 0 on'),
    "missing": (("patch", "--qps=1"), "--namespace is missing"),
    "duration": (("informer", "--timeout=x"), '--timeout: "x" is no duration'),
    "switch": (("informer", "--disableCompression=x"), 'x" is neither true nor false'),
    "kind": (("--uri=/api/v1/things",), 'the cluster has no resource "things" in "v1"'),
    "verb": (("--uri=/api/v1/pods", "--verb=POST"), "requests by POST are not modelled"),
    "pages": (("--uri=/api/v1/pods?limit=5",), '"limit" in the query of an address is not'),
    "part": (("--uri=/api/v1/nodes/n/status",), "the subresource in /api/v1/nodes/n/status"),
    "type": (("--uri=/readyz", "--content-type=xml"), '--content-type: "xml" is not known'),
}


@pytest.mark.parametrize("case", ODD)
def test_arguments_that_are_not_understood_are_a_problem(case: str) -> None:
    words, expected = ODD[case]
    staged = Staged()
    staged.add(*words)
    [problem] = staged.programs.take_problems()
    assert problem.startswith(f"image {BENCHMARK}: ")
    assert expected in problem
    assert staged.programs.take_problems() == []


def test_another_command_is_not_understood() -> None:
    staged = Staged()
    staged.add("-c", "benchmark --uri=/", command=["/bin/sh"])
    [problem] = staged.programs.take_problems()
    assert 'the command "sh" is not known' in problem


@pytest.mark.parametrize(
    "image",
    [
        "pause",
        "registry.k8s.io/pause:3.9",
        "x/perf-tests-util/sleep:v1",
        "perf-tests-util:v1",
        "information",
        "",
    ],
)
def test_other_images_have_no_program(image: str) -> None:
    assert images.program_of(image, {}) is None


@pytest.mark.parametrize(
    "image",
    [
        "gcr.io/x/perf-tests-util/new:v1@sha256:0",
        "a/policy-creation-enforcement-latency:v0.0.1",
        "example.com/pod-informer:2",
        "http-load-generator",
    ],
)
def test_an_image_that_looks_like_a_generator_is_a_problem(image: str) -> None:
    with pytest.raises(Unmodelled, match=r"has no model: .* --program \S+=module:Class"):
        images.program_of(image, {})


@pytest.mark.parametrize("image", ["localhost:5000/request-benchmark", BENCHMARK])
def test_registries_and_tags_do_not_matter(image: str) -> None:
    assert images.program_of(image, {}) is images.request_benchmark


class Reader(Program):
    """Reads a pod every second."""

    def start(self) -> None:
        name = self.container.arguments[0]
        resource = Resource("v1", "Pod")
        self.client.call(Call(verb="get", resource=resource, namespace="default", name=name))
        self.client.after(1_000_000_000, self.start)


@pytest.mark.parametrize("name", ["reader", "mine/reader", "host.io/mine/reader"])
def test_a_program_of_the_user_has_its_variables_and_its_calls(name: str) -> None:
    staged = Staged(own={name: Reader})
    variables = [{"name": "TARGET", "value": "bench-1"}]
    staged.add("$(TARGET)", image="host.io/mine/reader:v2", env=variables)
    before = staged.calls("GET").get(200, 0)
    staged.stage.run("10s")
    assert staged.calls("GET")[200] - before >= 10


def test_pods_that_run_already_are_not_forgotten() -> None:
    staged = Staged()
    staged.programs.stop()
    staged.add("--uri=/api/v1/pods", "--qps=1")
    assert staged.calls("LIST") == {}
    again = type(staged.programs)(staged.cluster, staged.stage.streams, {})
    staged.stage.run("5s")
    assert staged.calls("LIST") == {200: 10 + 5}
    assert again.take_problems() == []


def test_a_program_of_an_init_container_is_a_problem() -> None:
    staged = Staged()
    pod = stages.pod("generator")
    pod["spec"]["initContainers"] = [{"name": "first", "image": BENCHMARK}]
    staged.stage.store.create(pod)
    [problem] = staged.programs.take_problems()
    assert problem.startswith(f"image {BENCHMARK}: programs of init containers are not modelled")
