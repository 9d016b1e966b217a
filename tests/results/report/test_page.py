"""The page as people get it: complete, alone, and with nobody's name taken for markup."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.results import report
from kubestage.results.repeat import Plugin, Repeat
from kubestage.testing import make_node, make_pod
from tests.results import samples

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"
VOID = {"meta", "input", "br", "img", "link"}


class Page(html.parser.HTMLParser):
    """Reads a page as a browser would: which elements, which text, what is left open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def scripts(self) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == "script"]


REPEAT = Repeat(
    version="0.1.0",
    seed=42,
    start="2026-01-01T00:00:00Z",
    tie_break="heap",
    controllers=False,
    detail="decisions",
    strategy="OnDone",
)


def repeat(**changes: Any) -> Repeat:
    return msgspec.structs.replace(REPEAT, **changes)


def data_of(text: str) -> dict[str, Any]:
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    told: dict[str, Any] = msgspec.json.decode(data)
    return told


def evil_scenario() -> Json:
    """A scenario in which every name and every message is an attack."""
    node, pod, rival = make_node(EVIL), make_pod(EVIL, namespace=EVIL), make_pod("rival")
    held = make_pod("held")
    held["spec"]["schedulingGates"] = [{"name": EVIL}]
    gone = {"boundTo": EVIL, "preemptedBy": EVIL, "preemptedAt": 0}
    scenario = samples.scenario(
        {
            "0": [
                samples.created(0, node, EVIL),
                samples.created(0, {"kind": EVIL, "metadata": {"name": EVIL}}),
                samples.deleted(0, EVIL, EVIL, EVIL),
                samples.created(0, held),
                samples.pod_event(0, "PodPreempted", pod, [], **gone),
                samples.pod_event(0, "PodUnscheduled", rival, [samples.attempt(1, 0, "", EVIL)]),
            ]
        },
        EVIL,
        EVIL,
    )
    scenario["status"]["message"] = EVIL
    scenario["status"]["scenarioResult"]["simulatorVersion"] = EVIL
    return scenario


def test_the_page_tells_the_outcome_and_how_to_repeat_it() -> None:
    text = report.render(samples.rivalry(), repeat(plugins=[Plugin("mine.py:Mine", "f" * 64)]))
    page = Page(text)
    told = " ".join(page.texts)
    assert "1 of 2 pods is pending; 1 has a node. 1 was preempted." in told
    assert "Requested: 100% of the CPU and 0% of the memory." in told
    for fact in ("story", "Succeeded", "42", "OnDone", "mine.py:Mine (ffffffffffff)"):
        assert fact in page.texts
    assert samples.NO_ROOM in page.texts
    assert not page.open


def test_the_configuration_is_shown_as_it_was_given() -> None:
    given = "kind: KubeSchedulerConfiguration\nprofiles: []"
    assert given in Page(report.render(samples.rivalry(), repeat(configuration=given))).texts


@pytest.mark.parametrize(
    "told", [None, repeat(configuration=EVIL, version=EVIL, start=EVIL, flags={EVIL: EVIL})]
)
def test_no_name_and_no_message_becomes_markup(told: Repeat | None) -> None:
    text = report.render(evil_scenario(), told)
    page = Page(text)
    assert len(page.scripts) == 2
    assert "<img" not in text
    assert not any("onerror" in attributes for _, attributes in page.elements)
    assert EVIL in page.texts
    assert EVIL in data_of(text)["texts"]


def test_the_page_loads_nothing_and_allows_only_its_own_script() -> None:
    text = report.render(samples.rivalry(), repeat())
    page = Page(text)
    assert not [attributes for _, attributes in page.elements if "src" in attributes]
    assert not re.search(r"@import|url\(", text)
    links = [attributes["href"] for tag, attributes in page.elements if tag == "a"]
    assert all(link is not None and link.startswith("#") for link in links)
    [policy] = [
        attributes["content"]
        for tag, attributes in page.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    script = text.rsplit("<script>", 1)[1].split("</script>", 1)[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    )


def test_the_same_run_gives_the_same_page() -> None:
    assert report.render(samples.rivalry(), repeat()) == report.render(samples.rivalry(), repeat())


def test_without_the_libraries_of_charts_the_page_says_how_to_get_them(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kubestage.results.report.drawings.NEEDED", ("no_such_library",))
    report.write(tmp_path / "report.html", samples.rivalry(), repeat())
    assert "pip install 'kubestage[charts]'" in Page((tmp_path / "report.html").read_text()).texts


@pytest.mark.parametrize("status", [{}, {"phase": "Failed", "message": "event x is wrong"}])
def test_a_scenario_that_came_to_nothing_has_a_page_too(status: Json) -> None:
    scenario = {**samples.rivalry(), "status": status}
    page = Page(report.render(scenario, repeat()))
    assert "No pods took part in 0 steps." in page.texts
    assert not page.open


def test_thousands_of_pods_make_a_small_page() -> None:
    nodes = [samples.created(0, make_node(f"n{number}")) for number in range(500)]
    events = []
    for number in range(5_000):
        pod, at = (
            make_pod(f"web-{number}", cpu="10m"),
            samples.attempt(number, 0, f"n{number % 500}"),
        )
        events.append(samples.created(0, pod))
        node = f"n{number % 500}"
        events.append(samples.pod_event(0, "PodScheduled", pod, [at], boundTo=node, boundAt=0))
    text = report.render(samples.scenario({"0": nodes + events}), repeat())
    assert len(text) < 700_000
    assert text.count("web-4999") == 1
