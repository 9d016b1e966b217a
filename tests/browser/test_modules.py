"""Modules of the page by themselves: they compute what Python computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import pod_resources, quantity

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Cluster

QUANTITIES = ["1", "250m", "1.5", "16Gi", "1e3", "100k", "3P", "5m", "0", "12Ki", "1.25Gi", "2M"]


def container(cpu: str, **more: Any) -> dict[str, Any]:
    return {"name": "c", "resources": {"requests": {"cpu": cpu, "memory": "64Mi"}}, **more}


SPECS: list[dict[str, Any]] = [
    {"containers": [container("1"), container("250m")]},
    {"containers": [container("1")], "initContainers": [container("3")]},
    {
        "containers": [container("1")],
        "initContainers": [
            container("200m", restartPolicy="Always"),
            container("1"),
            container("300m", restartPolicy="Always"),
        ],
    },
    {"containers": [container("1")], "overhead": {"cpu": "100m"}},
    {"containers": [container("1")], "resources": {"requests": {"cpu": "4"}}},
    {"containers": [{"name": "c"}]},
]


@pytest.fixture
def module(page: Page, cluster: Cluster) -> Any:
    """Calls a function of a module with one argument that is an expression."""
    page.goto(f"{cluster.address}/ui/css/page.css")

    def call(path: str, code: str, argument: Any) -> Any:
        return page.evaluate(
            f"async (given) => {{ const it = await import('/ui/js/{path}'); return {code}; }}",
            argument,
        )

    return call


def contrast(one: str, other: str) -> float:
    """The contrast of WCAG 2 of two colours, as #rrggbb."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("is_dark", [False, True])
def test_names_of_pods_can_be_read_on_every_colour_of_usage(module: Any, is_dark: bool) -> None:
    shares = [0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.1, 9, None]
    code = f"given.map((share) => it.shade(share ?? NaN, {str(is_dark).lower()}))"
    colours = module("map/usage.js", code, shares)
    assert len(set(colours)) == len(shares)
    inks = module("map/ink.js", "given.map(it.inkOn)", colours)
    ratios = {at: contrast(at, ink) for at, ink in zip(colours, inks, strict=True)}
    assert min(ratios.values()) >= 4.5, ratios


def test_words_are_light_on_a_dark_priority(module: Any) -> None:
    """Priorities have colours in another notation."""
    found = module("map/ink.js", "given.map(it.inkOn)", ["hsl(214 70% 36%)", "hsl(214 30% 78%)"])
    assert found == ["#ffffff", "#10161f"]


def test_quantities_are_read_as_the_api_reads_them(module: Any) -> None:
    found = module("quantities.js", "given.map(it.parse)", QUANTITIES)
    assert found == pytest.approx([quantity.milli_value_of(text) / 1000 for text in QUANTITIES])


def test_requests_are_those_of_the_scheduler(module: Any) -> None:
    code = "given.map((spec) => [it.requested(spec, 'cpu'), it.requested(spec, 'memory')])"
    for spec, (cpu, memory) in zip(SPECS, module("quantities.js", code, SPECS), strict=True):
        found = pod_resources.requests({"spec": spec})
        assert cpu == pytest.approx(_value(found, "cpu"))
        assert memory == pytest.approx(_value(found, "memory"))


def _value(found: Any, resource: str) -> float:
    amount = found.get(resource)
    return 0.0 if amount is None else quantity.milli_value_of(str(amount)) / 1000


@pytest.mark.parametrize("parts", [[0.5], [0.1] * 7, [0.0, 0.9, 0.0, 0.05], [0.6, 0.7], []])
def test_pods_fill_their_node_in_proportion(module: Any, parts: list[float]) -> None:
    code = "[...it.fillBox(given, { x: 10, y: 20, side: 100 })]"
    flat = module("map/strips.js", code, parts)
    rects = [flat[at : at + 4] for at in range(0, len(flat), 4)]
    assert len(rects) == len(parts)
    areas = [max(part, 1 / 300) for part in parts]
    shrunk = max(1.0, sum(areas))
    for (x, y, width, height), area in zip(rects, areas, strict=True):
        assert width * height == pytest.approx(10_000 * area / shrunk, rel=1e-3)
        assert x >= 9.99
        assert y >= 19.99
        assert x + width <= 110.01
        assert y + height <= 120.01
    for at, one in enumerate(rects):
        assert not any(_overlap(one, other) for other in rects[at + 1 :])


def _overlap(one: list[float], other: list[float]) -> bool:
    is_beside = one[0] + one[2] <= other[0] + 0.01 or other[0] + other[2] <= one[0] + 0.01
    is_above = one[1] + one[3] <= other[1] + 0.01 or other[1] + other[3] <= one[1] + 0.01
    return not is_beside and not is_above


def test_managed_fields_are_left_out_of_yaml(module: Any) -> None:
    text = "kind: Pod\nmetadata:\n  managedFields:\n  - a: 1\n    b: 2\n  name: web\nspec: {}\n"
    found = module("objects/editor.js", "it.withoutManagedFields(given)", text)
    assert found == "kind: Pod\nmetadata:\n  name: web\nspec: {}\n"


def test_an_address_comes_back_as_it_was(module: Any) -> None:
    given = [["objects", "apps", "v1"], {"filter": "a=b c&d", "select": "ns/na%me"}]
    code = "it.parse(it.format(...given))"
    assert module("route.js", code, given) == {"path": given[0], "query": given[1]}
