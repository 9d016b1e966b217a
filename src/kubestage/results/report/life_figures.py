"""The head and the key figures of the report of a living run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import prices
from kubestage.results.life import headline, pending, wording
from kubestage.results.packing import wording as money
from kubestage.results.report import reasons
from kubestage.results.report.markup import Html, count, element, join

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.results.agreement import ReplayAgreement
    from kubestage.results.life.life import Life
    from kubestage.results.repeat import LifeRepeat


_REASONS: Final = 3
_NEWS: Final = 8
_LATER: Final = 6
# Runs that were kept by an earlier version say nothing of it.
_NONE_PENDING: Final[Json] = {"pods": 0, "of": 0, "reasons": []}


def title(life: Life, agreed: ReplayAgreement | None = None) -> str:
    """What the run is called: after its recording or its traffic, or else what it was."""
    if agreed is not None:
        return f"A replay of {agreed.recording}"
    named = [each["traffic"] for each in life.summary["traffic"]]
    return f"Traffic of {named[0]}" if len(named) == 1 else "A living cluster"


def heading(life: Life, repeat: LifeRepeat | None, agreed: ReplayAgreement | None = None) -> Html:
    """Title, outcome in a few sentences, and the facts that the run depends on."""
    waiting = life.summary.get("pending") or _NONE_PENDING
    outcome, news = lead(life), headline.headline(life)
    pills = []
    if waiting["pods"]:
        pills = [element("span", f"{count(waiting['pods'], 'pod')} pending", class_="pill alert")]
    parts = [
        element("p", "Run report", class_="over"),
        element("div", element("h1", title(life, agreed)), *pills, class_="titled"),
        _news(news),
        element("p", outcome, class_="lead") if outcome else Html(""),
        _waiting(waiting),
        element(
            "dl",
            *(
                element("div", element("dt", name), element("dd", value))
                for name, value in _facts(life, repeat)
            ),
            class_="facts",
        ),
    ]
    if repeat is not None and repeat.configuration:
        caption = element("summary", "Scheduler configuration")
        parts.append(element("details", caption, element("pre", repeat.configuration.rstrip())))
    return join(parts, "\n")


def _news(news: Sequence[str]) -> Html:
    """What went wrong, the worst first; nothing if all was well."""
    if not news:
        return Html("")
    lines = [element("li", each) for each in news[:_NEWS]]
    if len(news) > _NEWS:
        lines.append(element("li", f"and {len(news) - _NEWS:,} more: see Health"))
    return element("ul", *lines, class_="callout alert news")


def _waiting(pending_pods: Json) -> Html:
    """Why pods are pending, if any are."""
    if not pending_pods["pods"]:
        return Html("")
    shown = [(each["pods"], each["reason"]) for each in pending_pods["reasons"][:_REASONS]]
    return reasons.alert(shown, len(pending_pods["reasons"]) - len(shown))


def lead(life: Life) -> str:
    """The outcome for those who read no more than this; what is pending comes first.

    That the cluster lived is stated only if there is nothing else to report.
    """
    summary = life.summary
    left = pending.headline(summary.get("pending") or _NONE_PENDING)
    sentences = [f"{left} at the end."] if left else []
    if not sentences and not headline.headline(life):
        sentences.append(
            f"The cluster lived for {wording.moment(life.seconds)}, and nothing went wrong."
        )
    sentences += [_fared(each) for each in summary["traffic"][:3]]
    rescales = sum(each.get("rescales", 0) for each in summary["autoscalers"])
    if rescales:
        sentences.append(f"Autoscalers changed the number of replicas {count(rescales, 'time')}.")
    if summary["cost"] is not None:
        sentences.append(f"Nodes cost {money.money(summary['cost'], _currency(summary))}.")
    return " ".join(each for each in sentences if each)


def _fared(traffic: Json) -> str:
    """How requests fared; that some failed is among the news already."""
    slow = wording.milliseconds(traffic["responseMs"]["p95"])
    if traffic["failed"]:
        return "" if slow == "-" else f"95% of the other requests took no longer than {slow}."
    quick = "" if slow == "-" else f", and 95% took no longer than {slow}"
    return f"Of {count(traffic['requests'], 'request')} of {traffic['traffic']} none failed{quick}."


def _facts(life: Life, repeat: LifeRepeat | None) -> list[tuple[str, str]]:
    facts = {
        "kubestage": life.version,
        "Lived for": wording.moment(life.seconds),
        "Seed": str(life.seed),
        "Start": life.start,
        "Sampled every": wording.moment(life.resolution_seconds),
    }
    if repeat is not None:
        facts |= {
            "Scheduler": "configured" if repeat.configuration else "kube-scheduler's defaults",
            "Distributions": ", ".join(f"{name}={value}" for name, value in repeat.laws.items()),
            "Later": _later(repeat.later),
            "Plugins": ", ".join(each.reference for each in repeat.plugins),
            "Autoscalers": ", ".join(
                f"{each.reference} ({each.sha256[:12]})" for each in repeat.autoscalers
            ),
        }
    return [(name, value) for name, value in facts.items() if value]


def _later(later: Sequence[tuple[str, str]]) -> str:
    """When manifests were applied: a replay has hundreds of them."""
    shown = [f"{name} at {at}" for at, name in later[:_LATER]]
    more = len(later) - len(shown)
    return ", ".join([*shown, f"and {more:,} more"] if more > 0 else shown)


def figures(summary: Json) -> Html:
    """A card for each main figure."""
    cards = [
        element(
            "div",
            element("div", what, class_="what"),
            element("div", number, class_="number preempted" if is_bad else "number"),
            element("div", of, class_="of"),
            class_="figure card",
        )
        for what, number, of, is_bad in _cards(summary)
    ]
    return element("div", *cards, class_="figures")


def _cards(summary: Json) -> Iterator[tuple[str, str, str, bool]]:
    traffic = summary["traffic"]
    if traffic:
        requests = sum(each["requests"] for each in traffic)
        failed = sum(each["failed"] for each in traffic)
        rate = f"{requests / summary['seconds']:,.1f} a second"
        yield "Requests", f"{requests:,}", rate, False
        yield "Failed", wording.share(failed, requests), f"{failed:,} requests", bool(failed)
        for percent in ("p50", "p95", "p99"):
            slowest = max((each["responseMs"][percent] or 0 for each in traffic), default=0)
            what = "response time" if len(traffic) == 1 else "of the slowest traffic"
            yield percent, wording.milliseconds(slowest), what, False
    yield "Replica-hours", wording.hours(summary["replicaHours"]), _highest(summary), False
    if summary["nodeHours"]:
        nodes = sum(each["nodesAtEnd"] for each in summary["nodeGroups"])
        yield (
            "Node-hours",
            wording.hours(summary["nodeHours"]),
            f"{count(nodes, 'node')} at the end",
            False,
        )
    if summary["cost"] is not None:
        currency = _currency(summary)
        idle = (summary.get("costs") or {}).get("idle")
        share = money.share(idle / summary["cost"] if idle and summary["cost"] else None)
        of = "of priced nodes" if idle is None else f"{share} of it idle"
        yield "Cost", money.money(summary["cost"], currency), of, False
    autoscalers = summary["autoscalers"]
    if any("rescales" in each for each in autoscalers):
        up, down = (
            sum(each.get(field, 0) for each in autoscalers)
            for field in ("rescalesUp", "rescalesDown")
        )
        yield "Rescales", f"{up + down:,}", f"{up:,} up, {down:,} down", False
    if any("evictions" in each for each in autoscalers):
        evictions = sum(each.get("evictions", 0) for each in autoscalers)
        resizes = sum(each.get("resizes", 0) for each in autoscalers)
        yield "VPA updates", f"{evictions + resizes:,}", f"{evictions:,} by eviction", False


def _currency(summary: Json) -> str:
    """That of the costs; a run that an earlier version has kept has none."""
    found: str = summary.get("currency") or prices.DEFAULT_CURRENCY
    return found


def _highest(summary: Json) -> str:
    workloads = summary["workloads"]
    if len(workloads) == 1:
        return f"{workloads[0]['replicasLowest']} to {workloads[0]['replicasHighest']} at a time"
    return f"of {count(len(workloads), 'workload')}"
