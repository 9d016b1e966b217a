"""The parts of the page, each by what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.results import analysis
from kubestage.results.report import figures, heading, markup, reasons, rows, steps, units
from kubestage.testing import make_node, make_pod
from tests.results import samples

if TYPE_CHECKING:
    from kubestage.aliases import Json


def pending(*messages: str) -> list[analysis.PodState]:
    """Pods that wait, each with the scheduler's words for it."""
    events = [
        samples.pod_event(
            0, "PodUnscheduled", make_pod(f"p{place}"), [samples.attempt(place, 0, "", message)]
        )
        for place, message in enumerate(messages)
    ]
    return analysis.digest(samples.scenario({"0": events})).pods


def summary(timeline: dict[str, list[Json]]) -> analysis.Summary:
    return analysis.summary(samples.scenario(timeline))


def bound(name: str, node: str = "n1", **told: Any) -> Json:
    pod = make_pod(name, cpu="1")
    return samples.pod_event(0, "PodScheduled", pod, [], boundTo=node, boundAt=0, **told)


def test_reasons_that_differ_only_by_numbers_are_told_once_most_frequent_first() -> None:
    told = reasons.reasons(pending("3 odd", "0/9: 9 cpu", "0/9: 8 cpu", "0/9: 8 cpu"))
    assert told.index("0/9: 8 cpu") < told.index("3 odd")
    assert told.count('class="reason"') == 2
    assert "0/9: 9 cpu" not in told
    assert "default/p1, default/p2, default/p3" in told


def test_a_long_list_of_pods_is_cut_and_counted() -> None:
    assert "default/p5 and 14 more" in reasons.reasons(pending(*["no room"] * 20))


def test_many_reasons_are_cut_and_counted() -> None:
    words = [f"{'x' * length}" for length in range(1, 31)]
    told = reasons.reasons(pending(*words))
    assert "5 more reasons" in told


def test_pods_that_are_gated_or_were_never_tried_are_told_apart() -> None:
    gated = make_pod("gated")
    gated["spec"]["schedulingGates"] = [{"name": "example.com/quota"}]
    events = [samples.created(0, gated), samples.created(0, make_pod("untried"))]
    told = reasons.reasons(analysis.digest(samples.scenario({"0": events})).pods)
    assert "Held back by its gates: example.com/quota" in told
    assert "Not tried: is there a profile" in told
    assert "default-scheduler" in told
    assert "Every pod has a node" in reasons.reasons([])


@pytest.mark.parametrize(
    ("events", "sentence"),
    [
        ([], "No pods took part in 1 step."),
        ([bound("a")], "The only pod has a node."),
        ([bound("a"), bound("b")], "All 2 pods have a node."),
        ([samples.created(0, make_pod("a"))], "The only pod is pending."),
        (
            [samples.created(0, make_pod("a")), samples.deleted(0, "Pod", "a", "default")],
            "None of 1 pod is left.",
        ),
    ],
)
def test_the_outcome_is_said_in_a_sentence(events: list[Json], sentence: str) -> None:
    assert heading.lead(summary({"0": events})) == sentence


def test_what_is_pending_comes_before_succeeded() -> None:
    told = samples.scenario({"0": [bound("a"), samples.created(0, make_pod("b"))]})
    told["status"]["phase"] = "Succeeded"
    digest = analysis.digest(told)
    head = heading.heading(told, analysis.summary(digest), None, digest.pods)
    assert '<span class="pill alert">1 pod pending</span><span class="pill Unknown">' in head
    assert head.index("1 pod pending") < head.index("Succeeded")
    assert heading.lead(analysis.summary(digest)).startswith("1 of 2 pods is pending; 1 has a node")
    assert 'class="callout alert"' in head
    cards = str(figures.figures(analysis.summary(digest)))
    assert cards.index("Pending") < cards.index("Scheduled")


def test_where_nothing_is_pending_the_phase_stands_alone() -> None:
    told = samples.scenario({"0": [bound("a")]})
    told["status"]["phase"] = "Succeeded"
    head = heading.heading(told, analysis.summary(told), None)
    assert '<span class="pill Succeeded">Succeeded</span>' in head
    assert "alert" not in head


@pytest.mark.parametrize(
    ("phase", "sentence"),
    [
        ("Failed", "The Scenario failed in step 0. The only pod has a node."),
        ("Paused", "The Scenario is paused after step 0, as no event was Done. The only pod has"),
        ("Succeeded", "The only pod has a node."),
    ],
)
def test_a_run_that_did_not_come_to_its_end_says_so_first(phase: str, sentence: str) -> None:
    told = samples.scenario({"0": [bound("a")]})
    told["status"]["phase"] = phase
    assert heading.lead(analysis.summary(told)).startswith(sentence)


def test_the_step_in_which_a_scenario_failed_says_why() -> None:
    told = samples.scenario({"0": [bound("a")], "1": []})
    told["status"] |= {"phase": "Failed", "message": 'nodes "n9" not found'}
    texts = rows.PageTexts()
    first, last = steps.happened(told, texts)
    assert "failed" not in first
    assert list(texts.all)[last["failed"]] == 'nodes "n9" not found'
    assert steps.outline([first, last]).count("tally failed") == 1


def test_full_and_nearly_full_resources_stand_out() -> None:
    assert 'class="hot"' in figures.bar(0.97)
    assert 'class="warm"' in figures.bar(0.85)
    assert figures.bar(None) == '<span class="bar"><i style="width:0.0%"></i></span>'
    assert "width:100.0%" in figures.bar(1.7)


def test_figures_tell_what_there_was_and_leave_out_what_there_was_not() -> None:
    told = figures.figures(summary({"0": [samples.created(0, make_node("n1")), bound("a")]}))
    assert "1 of 4 cores" in told
    assert "Finished" not in told
    assert "Attempts" not in told


@pytest.mark.parametrize(
    ("part", "whole", "resource", "words"),
    [
        (1500, 16000, "cpu", "1.5 of 16 cores"),
        (3 << 29, 64 << 30, "memory", "1.5 of 64 GiB"),
        (0, 0, "memory", "0 of 0 B"),
        (1 << 20, 1 << 20, "hugepages-2Mi", "1 of 1 MiB"),
        (1200, 110000, "pods", "1,200 of 110,000"),
    ],
)
def test_amounts_share_one_unit(part: int, whole: int, resource: str, words: str) -> None:
    assert units.share(part, whole, resource) == words


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        (None, "–"),
        (0.0, "0%"),
        (0.0001, "< 0.1%"),
        (0.625, "62.5%"),
        (0.9999, "> 99.9%"),
        (1.0, "100%"),
        (1.25, "125%"),
    ],
)
def test_shares_are_not_rounded_to_nothing_or_all(rate: float | None, words: str) -> None:
    assert units.percent(rate) == words


def test_each_step_is_told_by_sort_of_event() -> None:
    texts = rows.PageTexts()
    scenario = samples.rivalry()
    told = steps.happened(scenario, texts)
    names = list(texts.all)

    def words(at: int, sort: str) -> list[list[str | None]]:
        return [[None if each is None else names[each] for each in row] for row in told[at][sort]]

    assert [step["step"] for step in told] == [0, 1, 2]
    assert words(0, "created") == [["Node", "n1"], ["Pod", "default/weak"]]
    assert words(1, "scheduled") == [["default/strong", "n1"]]
    assert words(1, "preempted") == [["default/weak", "n1", "default/strong"]]
    assert words(1, "pending") == [["default/late", samples.NO_ROOM]]
    assert [step["done"] for step in told] == [False, False, True]


def test_the_outline_counts_and_lines_up_the_events_of_steps() -> None:
    outline = steps.outline(steps.happened(samples.rivalry(), rows.PageTexts()))
    assert outline.count('<span class="tally') == 3 * 4 + 1
    assert "<b>1</b> preempted" in outline
    assert "Nothing happened" in steps.outline([])


def test_at_summary_the_reason_is_that_of_the_pods_condition() -> None:
    pod = make_pod("web")
    pod["status"] = {"conditions": [{"type": "PodScheduled", "message": "no room at all"}]}
    texts = rows.PageTexts()
    events = {"0": [samples.pod_event(0, "PodUnscheduled", pod, [])]}
    steps.happened(samples.scenario(events), texts)
    assert "no room at all" in texts.all


def test_rows_point_to_texts_that_are_written_once() -> None:
    scenario = samples.rivalry()
    texts = rows.PageTexts()
    told = rows.data(analysis.digest(scenario), texts, steps.happened(scenario, texts))
    names = told["texts"]
    assert len(names) == len(set(names))
    weak, strong, late = told["pods"]
    assert [names[weak[at]] for at in (0, 1, 2, 8)] == [
        "default/weak", "Preempted", "n1", "default/strong",
    ]  # fmt: skip
    # Created, bound, waited, attempts, priority; preemptor and reason; CPU and memory.
    assert strong[3:] == [1, 1, 0, 2, 10, None, None, 1000, 0]
    assert names[late[9]] == samples.NO_ROOM
    [node] = told["nodes"]
    assert node[1:] == [1000, 1000, 0, 16 << 30, 1, 110]
    assert [each["unit"] for each in told["resources"]] == ["cpu", "bytes", "count"]


def test_data_in_a_script_cannot_end_it() -> None:
    assert markup.script_data(["</script>\u2028"]) == r'["\u003c/script\u003e\u2028"]'


def test_elements_escape_what_is_not_html() -> None:
    told = markup.element("p", "<b>", markup.element("i", "&"), title='"', class_="x", id=None)
    assert told == '<p title="&quot;" class="x">&lt;b&gt;<i>&amp;</i></p>'
