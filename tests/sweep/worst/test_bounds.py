"""Bounds are typed: what they do not have is refused, with the likely field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.sweep.worst import bounds, limits
from kubestage.sweep.worst.limits import Span
from kubestage.testing import make_node, make_pod
from tests.sweep.worst import inputs

if TYPE_CHECKING:
    import pathlib

TEXT = """
mutate: [sizes, failures]
arrivals:
  pods: {max: 4}
sizes:
  cpu: {min: 100m, max: 2}
failures: {most: 2, kinds: [cordoned], nodes: [node-1], returns: false}
"""


def test_bounds_of_a_file_and_of_settings() -> None:
    found = bounds.read(TEXT, ["arrivals.pods.max=7", "sizes.nvidia.com/gpu.max=3"], "bounds.yaml")
    assert found.mutate == ("sizes", "failures")
    assert found.arrivals.pods.max == 7
    assert set(found.sizes) == {"cpu", "nvidia.com/gpu"}
    assert found.failures.kinds == ("cordoned",)
    assert bounds.read("", [], "bounds.yaml") == bounds.Bounds()


@pytest.mark.parametrize(
    ("text", "path", "problem", "fix"),
    [
        ("arrival: {}", "arrival", "unknown field", 'did you mean "arrivals"?'),
        ("arrivals: {pod: {}}", "arrivals.pod", "unknown field", 'did you mean "pods"?'),
        (
            "failures: {colour: 1}",
            "failures.colour",
            "unknown field",
            "there are most, kinds, nodes",
        ),
        ("sizes: {cpu: {mx: 1}}", "sizes[...].mx", "unknown field", 'did you mean "max"?'),
        ("mutate: [size]", "mutate[0]", "Invalid enum value 'size'", ""),
        ("arrivals: {pods: {max: few}}", "arrivals.pods.max", "Expected `int | null`", ""),
        ("[1]", None, "these are no bounds", "bounds are a mapping"),
    ],
)
def test_what_bounds_do_not_have_is_refused(
    text: str, path: str | None, problem: str, fix: str
) -> None:
    with pytest.raises(InputError) as caught:
        bounds.read(text, [], "bounds.yaml")
    assert (caught.value.file, caught.value.path) == ("bounds.yaml", path)
    assert caught.value.problem.startswith(problem)
    assert (caught.value.fix or "").startswith(fix)


def test_defaults_come_from_the_start(tmp_path: pathlib.Path) -> None:
    small, large = make_pod("small", cpu="500m"), make_pod("large", cpu="3", memory="1Gi")
    _, found = inputs.begin(tmp_path, make_node("node-1", cpu="4", memory="8Gi"), small, large)
    assert found.sizes == {"cpu": Span(250, 4000), "memory": Span(1 << 29, 2 << 30)}
    assert (found.pods, found.replicas) == (Span(1, 4), Span(1, 2))
    assert found.times == Span(1, 4), "four steps, from the first arrival on"
    assert (found.failing, found.failures, found.classes) == (("node-1",), 1, ())
    assert found.end == 5


def test_a_living_run_has_half_of_its_time_for_arrivals(tmp_path: pathlib.Path) -> None:
    objects = (make_node("node-1"), make_pod("one", cpu="1"))
    _, found = inputs.begin(tmp_path, *objects, run_for="10m")
    assert (found.times, found.end) == (Span(0, 300), 599)
    _, stated = inputs.begin(
        tmp_path, *objects, run_for="10m", settings=("arrivals.times={min: 30s, max: 2m}",)
    )
    assert stated.times == Span(30, 120)


@pytest.mark.parametrize(
    ("setting", "path", "problem"),
    [
        ("arrivals.pods={min: 5, max: 2}", "arrivals.pods", "min 5 is more than max 2"),
        ("arrivals.pods.min=-1", "arrivals.pods.min", "-1 is below zero"),
        ("arrivals.times.max=5m", "arrivals.times.max", "'5m' is no step"),
        ("arrivals.requests.min=0", "arrivals.requests.min", "0.0 is no factor"),
        ("arrivals.requests.min=9", "arrivals.requests", "min 9.0 is more than max 4.0"),
        ("sizes.cpu.max=many", "sizes.cpu.max", "'many' is no amount"),
        ("sizes.cpu={min: 2, max: 1}", "sizes.cpu", "min 2 is more than max 1"),
        ("failures.nodes=[node-2]", "failures.nodes", 'there is no "node-2"'),
        ("priorities.classes=[high]", "priorities.classes", 'there is no "high"'),
    ],
)
def test_bounds_that_the_start_cannot_have_are_refused(
    tmp_path: pathlib.Path, setting: str, path: str, problem: str
) -> None:
    with pytest.raises(InputError) as caught:
        inputs.begin(tmp_path, make_node("node-1"), make_pod("one", cpu="1"), settings=(setting,))
    assert (caught.value.path, caught.value.problem) == (path, problem)


def test_times_after_the_end_of_a_living_run_are_refused(tmp_path: pathlib.Path) -> None:
    objects = (make_node("node-1"), make_pod("one", cpu="1"))
    for text, problem in (
        ("20m", "comes after the end of --for"),
        ("soon", "'soon' is no duration"),
    ):
        with pytest.raises(InputError, match=problem):
            inputs.begin(
                tmp_path, *objects, run_for="10m", settings=(f"arrivals.times.max={text}",)
            )


def test_a_span_clamps() -> None:
    assert [limits.Span(2, 5).clamp(value) for value in (1, 3, 9)] == [2, 3, 5]
