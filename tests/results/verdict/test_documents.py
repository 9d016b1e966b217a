"""A verdict as Markdown, JUnit, SARIF and annotations: bad news first, and no text is markup."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as ET

import pytest

from kubestage.results.verdict import github_annotations, junit, markdown, markup, sarif
from kubestage.results.verdict.verdict import CheckedRule, Figure, Finding, Histogram, Verdict

WORSE = Finding(
    rule="pending",
    subject="deployment/shop/web",
    text="2 of 4 pods have no node",
    file="deploy/web.yaml",
    line=7,
    before="0 pending",
    after="2 pending",
)
WARNING = Finding(rule="spread", subject="deployment/shop/db", text="all in a", severity="warning")
OLD = Finding(rule="pending", subject="deployment/shop/old", text="as ever", is_new=False)
RULES = [
    CheckedRule(name="spread", about="workloads are spread", findings=[WARNING]),
    CheckedRule(name="pending", about="no pod is newly pending", findings=[OLD, WORSE]),
    CheckedRule(name="cost", about="no more cost", skipped="no node has a price"),
    CheckedRule(name="requests", about="containers have requests"),
]
VERDICT = Verdict(
    title="kubestage check",
    answer="worse: 1 rule is broken",
    sides=["main", "branch"],
    rules=RULES,
    figures=[
        Figure(
            name="pods pending", values=[0, 2], shown=["0", "2"], better="less", worse=[False, True]
        ),
        Figure(name="CPU requested", values=[0.3, 1.0], shown=["30%", "100%"], shares=[0.3, 1.0]),
    ],
    histograms=[Histogram(title="Nodes", classes=["low", "high"], counts=[[4, 0], [1, 3]])],
    notes=["a note"],
)  # fmt: skip


def test_what_counts_comes_first() -> None:
    assert VERDICT.findings() == [WORSE, WARNING, OLD]
    assert VERDICT.has_failed
    assert [each.state for each in RULES] == ["warning", "failed", "skipped", "passed"]


def test_if_all_counts_warnings_and_old_findings_fail_too() -> None:
    strict = CheckedRule(name="spread", about="", findings=[WARNING, OLD], is_strict=True)
    assert strict.failures == [WARNING, OLD]
    note = Finding(rule="a", subject="b", text="c", severity="note")
    assert CheckedRule(name="a", about="", findings=[note], is_strict=True).state == "passed"


def test_markdown_has_bad_news_first_and_folds_the_rest() -> None:
    text = markdown.render(VERDICT)
    assert text.startswith("## ❌ kubestage check: worse: 1 rule is broken\n\n|  | Object |")
    order = [
        "deployment/shop/web",
        "**1 warning**",
        "**Figures that got worse**",
        "All figures (2)",
    ]
    order += ["Rules: 2 of 4 hold", "As bad before (1)", "Notes (1)"]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert text.index("<details>") > text.index("Figures that got worse")
    assert text.count("<details>") == text.count("</details>") == 4
    assert "| 0 pending | 2 pending | `pending` | `deploy/web.yaml:7` |" in text
    assert "| CPU requested | ███░░░░░░░ 30% | ██████████ 100% |  |" in text
    assert "| high | 0 | ███████████████ 3 |" in text
    assert "not applied: no node has a price" in text


def test_good_news_is_short() -> None:
    good = Verdict(title="kubestage check", answer="fine", sides=["a", "b"], rules=RULES[3:])
    assert markdown.render(good) == (
        "## ✅ kubestage check: fine\n\n"
        "<details><summary>Rules: 1 of 1 hold</summary>\n\n"
        "|  | Rule | Requires |\n| --- | --- | --- |\n"
        "| ✅ | `requests` | containers have requests |\n\n</details>\n"
    )


def test_a_long_list_is_cut() -> None:
    found = [Finding(rule="a", subject=f"pod/{each}", text="x") for each in range(100)]
    rule = CheckedRule(name="a", about="b", findings=found)
    text = markdown.render(Verdict(title="t", answer="a", sides=[], rules=[rule]))
    assert "and 70 more" in text
    assert text.count("`pod/") == 30


HOSTILE = "<script>|`a`|*b* [c](d) @someone\n# e ::error::x"


def test_no_text_is_markup() -> None:
    finding = Finding(rule="a", subject=HOSTILE, text=HOSTILE, file=HOSTILE, line=1)
    rule = CheckedRule(name="a", about=HOSTILE, findings=[finding])
    verdict = Verdict(title="t", answer=HOSTILE, sides=[HOSTILE], rules=[rule], notes=[HOSTILE])
    text = markdown.render(verdict)
    assert not re.search(r"(?<!\\)<script", re.sub(r"`[^`]*`", "", text))
    assert "\n# e" not in text
    for line in text.splitlines():
        if line.startswith("| ❌ | `<"):
            assert len(re.findall(r"(?<!\\)\|", line)) == 8
    assert ET.fromstring(junit.render(verdict).partition("\n")[2]).tag == "testsuites"
    [line] = github_annotations.render(verdict).splitlines()
    assert line.startswith(
        "::error file=<script>|`a`|*b* [c](d) @someone%0A# e %3A%3Aerror%3A%3Ax,"
    )


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "░░░░░░░░░░"),
        (0.001, "█░░░░░░░░░"),
        (0.5, "█████░░░░░"),
        (1.7, "██████████"),
        (None, ""),
    ],
)
def test_a_bar_is_a_share(share: float | None, text: str) -> None:
    assert markup.bar(share) == text


def test_junit_has_a_test_for_each_rule() -> None:
    root = ET.fromstring(junit.render(VERDICT).partition("\n")[2])
    assert root.attrib == {
        "name": "kubestage check", "tests": "4", "failures": "1", "errors": "0",
    }  # fmt: skip
    [suite] = root
    assert suite.attrib["skipped"] == "1"
    spread, pending, cost, requests = suite
    assert spread.findtext("system-out") == "warning: deployment/shop/db: all in a"
    failure = pending.find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "no pod is newly pending: 1 broken"
    assert failure.text == (
        "deploy/web.yaml:7: error: deployment/shop/web: 2 of 4 pods have no node "
        "(0 pending -> 2 pending)"
    )
    assert pending.findtext("system-out") == "error: deployment/shop/old: as ever"
    skipped = cost.find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"] == "no node has a price"
    assert list(requests) == []


def test_sarif_has_places_and_what_is_new() -> None:
    log = json.loads(sarif.render(VERDICT, "1.2.3"))
    assert log["version"] == "2.1.0"
    [run] = log["runs"]
    assert run["tool"]["driver"]["version"] == "1.2.3"
    rules = [each["id"] for each in run["tool"]["driver"]["rules"]]
    assert rules == ["spread", "pending", "cost", "requests"]
    first, second, third = run["results"]
    assert (first["ruleId"], rules[first["ruleIndex"]], first["level"]) == (
        "pending", "pending", "error",
    )  # fmt: skip
    [location] = first["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "deploy/web.yaml"},
        "region": {"startLine": 7},
    }
    assert "physicalLocation" not in second["locations"][0]
    assert [each["baselineState"] for each in (first, second, third)] == ["new", "new", "unchanged"]
    prints = [each["partialFingerprints"]["kubestage/v1"] for each in (first, second, third)]
    assert len(set(prints)) == 3


def test_annotations_mark_lines_of_what_is_new() -> None:
    place = "file=deploy/web.yaml,line=7"
    title = "title=kubestage pending%3A deployment/shop/web"
    assert github_annotations.render(VERDICT).splitlines() == [
        f"::error {place},{title}::2 of 4 pods have no node",
        "::warning title=kubestage spread%3A deployment/shop/db::all in a",
    ]


def test_annotations_are_no_more_than_github_shows() -> None:
    found = [Finding(rule="a", subject=f"pod/{each}", text="x") for each in range(30)]
    rule = CheckedRule(name="a", about="b", findings=found)
    text = github_annotations.render(Verdict(title="t", answer="a", sides=[], rules=[rule]))
    assert len(text.splitlines()) == github_annotations.MOST
