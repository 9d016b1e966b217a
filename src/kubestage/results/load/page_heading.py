"""The head of the page of a load: what passed, what it rests on, and how to run it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.clusterloader.result import Outcome
from kubestage.results.load import wording
from kubestage.results.load.file_names import rfc3339
from kubestage.results.report.markup import Html, count, element, join

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.clusterloader.result import LoadResult
    from kubestage.measure.results import Verdict
    from kubestage.results.load.about import About


def title(results: Sequence[LoadResult]) -> str:
    """What the page is called."""
    if len(results) == 1:
        return results[0].test_name or "Load"
    return count(len(results), "load test")


def heading(results: Sequence[LoadResult], about: About) -> Html:
    """Title and verdict, the outcome in a few sentences, and the facts it depends on."""
    verdict, css = _verdict(results)
    parts = [
        element("p", "Load report", class_="over"),
        element(
            "div",
            element("h1", title(results)),
            element("span", verdict, class_=f"pill {css}"),
            class_="titled",
        ),
        element("p", lead(results), class_="lead"),
        element(
            "dl",
            *(
                element("div", element("dt", name), element("dd", value))
                for name, value in _facts(results, about)
            ),
            class_="facts",
        ),
    ]
    if about.command:
        parts.append(again(about.command))
    return join(parts, "\n")


def again(command: str) -> Html:
    """How to repeat it."""
    return element("p", "Run it again: ", element("code", command), class_="small again")


def lead(results: Sequence[LoadResult]) -> str:
    """The outcome for those who read no more than this."""
    sentences = [_outcome(results)]
    verdicts = [verdict for result in results for _, verdict in result.verdicts()]
    empty = sum(each.is_empty for each in verdicts)
    if verdicts:
        met = f"{_held(verdicts):,} of {count(len(verdicts), 'threshold')} held"
        sentences.append(met + (f", {empty:,} had no sample." if empty else "."))
    skipped = sum(len(result.skipped()) for result in results)
    if skipped:
        were = "was" if skipped == 1 else "were"
        sentences.append(f"{count(skipped, 'measurement')} {were} skipped.")
    errors = sum(len(result.errors) for result in results)
    if errors:
        sentences.append(f"There {'was' if errors == 1 else 'were'} {count(errors, 'error')}.")
    return " ".join(sentences)


def _held(verdicts: Sequence[Verdict]) -> int:
    """How many thresholds held; one without a sample has not."""
    return sum(each.passed and not each.is_empty for each in verdicts)


def _outcome(results: Sequence[LoadResult]) -> str:
    calls = sum(len(result.calls) for result in results)
    took = wording.duration(sum(result.took_ns for result in results))
    sentence = f"{count(calls, 'API call')} in {took}."
    if any(result.is_interrupted for result in results):
        return f"The run was broken off. {sentence}"
    idle = sum(result.outcome is Outcome.NOTHING_MEASURED for result in results)
    if idle:
        which = "" if len(results) == 1 else f" of {count(idle, 'test')}"
        sentence = f"All measurements{which} were skipped or had no sample. {sentence}"
    if len(results) == 1:
        return sentence
    passed = sum(result.passed for result in results)
    return f"{passed} of {count(len(results), 'test')} passed. {sentence}"


def _verdict(results: Sequence[LoadResult]) -> tuple[str, str]:
    """A word, and the class that colours it."""
    if any(result.errors for result in results):
        return "Failed", "Failed"
    if any(result.is_interrupted for result in results):
        return "Interrupted", "Pending"
    if any(result.outcome is Outcome.NOTHING_MEASURED for result in results):
        return "Nothing measured", "Pending"
    return "Passed", "Succeeded"


def _facts(results: Sequence[LoadResult], about: About) -> list[tuple[str, str]]:
    facts = {
        "kubestage": about.version,
        "Cluster": "stage, in virtual time" if about.is_stage else about.cluster,
        "Nodes": "" if about.nodes is None else f"{about.nodes:,}",
        "Control plane": about.profile,
        "Seed": "" if about.seed is None else str(about.seed),
        "Began": rfc3339(results[0].began_unix_ns) if results else "",
        "Configuration": ", ".join(dict.fromkeys(each.path for each in results if each.path)),
        "Chaos": "; ".join(line for result in results for line in result.chaos_events()),
    }
    return [(name, value) for name, value in facts.items() if value]


def figures(results: Sequence[LoadResult]) -> Html:
    """A card for each main figure."""
    cards = [
        element(
            "div",
            element("div", what, class_="what"),
            element("div", number, class_="number preempted" if is_bad else "number"),
            element("div", of, class_="of"),
            class_="figure card",
        )
        for what, number, of, is_bad in _cards(results)
    ]
    return element("div", *cards, class_="figures")


def _cards(results: Sequence[LoadResult]) -> Iterator[tuple[str, str, str, bool]]:
    verdicts = [verdict for result in results for _, verdict in result.verdicts()]
    is_missed = not all(each.passed for each in verdicts)
    empty = sum(each.is_empty for each in verdicts)
    of = f"of {len(verdicts):,}" + (f", {empty:,} without a sample" if empty else "")
    yield "Thresholds held", f"{_held(verdicts):,}", of, is_missed
    steps = [step for result in results for step in result.steps]
    failed = sum(bool(step.errors) for step in steps)
    yield "Steps", f"{len(steps):,}", f"{failed:,} failed" if failed else "none failed", failed > 0
    calls = sum(len(result.calls) for result in results)
    bad = sum(code >= 400 for result in results for code in result.calls.codes)
    yield "API calls", f"{calls:,}", f"{bad:,} refused" if bad else "none refused", bad > 0
    pods = sum(
        len(found.objects)
        for result in results
        for _, found in result.latencies()
        if found.metric == "pod_startup"
    )
    if pods:
        yield "Pods timed", f"{pods:,}", "from creation to running", False
    took_ns = sum(result.took_ns for result in results)
    yield "Duration", wording.duration(took_ns), "of the tests", False
