"""The explanation of a node as text: why it was bought, why it was kept, why it went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.tables import text
from kubestage.results.life import node_wording, wording
from kubestage.results.packing import wording as money
from kubestage.wording import few, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.controllers.node_decisions import Exclusion, Launch, Option, Purchase, Verdict
    from kubestage.runs.explain.node_explanation import NodeExplanation

_PODS: Final = 8
_EARLIER: Final = 12


def lines(explained: NodeExplanation) -> Iterator[str]:
    """All that is known of a node, in the order in which it happened; what holds now is last."""
    yield from _heading(explained)
    if explained.purchase is not None:
        yield ""
        yield from _purchase(explained, explained.purchase)
    if explained.launch is not None:
        yield ""
        yield from _launch(explained.launch)
    if explained.history:
        yield ""
        yield from _history(explained)
    if explained.departure is None:
        yield ""
        yield from _present(explained)
    else:
        yield ""
        yield from _departure(explained)


def _heading(explained: NodeExplanation) -> Iterator[str]:
    yield explained.headline()
    parts = []
    if explained.pool:
        parts.append(f"pool {explained.pool}")
    if explained.node and explained.node_claim:
        parts.append(f"NodeClaim {explained.node_claim}")
    if explained.added_seconds is not None:
        parts.append(f"in the cluster from {wording.moment(explained.added_seconds)}")
    if explained.removed_seconds is not None:
        parts.append(f"gone at {wording.moment(explained.removed_seconds)}")
    if parts:
        yield f"  {', '.join(parts)}"
    if explained.billed_per_hour is not None:
        yield f"  {_billed(explained, explained.billed_per_hour)}"
    if explained.pods:
        yield f"  {plural(len(explained.pods), 'pod')}: {few(explained.pods, _PODS)}"


def _billed(explained: NodeExplanation, price: float) -> str:
    """What is paid for it, and what Karpenter decides with if that is another price."""
    text = f"billed {money.money(price, explained.currency)} per hour"
    decided = explained.decided_per_hour
    if decided is None:
        return text
    shown_price = money.money(decided, explained.currency)
    return f"{text}; Karpenter decides with {shown_price}, by a NodeOverlay"


def _purchase(explained: NodeExplanation, bought: Purchase) -> Iterator[str]:
    """For which pods, and which instance types were left."""
    yield f"Bought by {bought.by} at {_moment(explained, bought.at_ns)}: {bought.why}"
    if bought.pods:
        yield f"  {plural(len(bought.pods), 'pod')}: {few(bought.pods, _PODS)}"
    if bought.requests:
        requests = {name: each for name, each in bought.requests.items() if name != "pods"}
        shown = ", ".join(f"{amount} {name}" for name, amount in requests.items())
        yield f"  they request, with DaemonSets: {shown}"
    for each in bought.requirements:
        yield f"  required: {each}"
    if bought.excluded:
        yield ""
        yield from _table(("TYPES", "EXCLUDED BECAUSE", "WHICH"), map(_excluded, bought.excluded))
    if bought.types:
        yield ""
        yield f"{bought.left:,} of {plural(bought.types, 'instance type')} left."
    if bought.options:
        yield ""
        yield from _table(
            ("GROUP", "PRICE PER HOUR", "EXPANDER"),
            ((each.instance_type, _price(each.price), each.score) for each in bought.options),
        )


def _excluded(each: Exclusion) -> Sequence[str]:
    more = ", ..." if each.count > len(each.types) else ""
    return (f"{each.count:,}", each.reason, f"{', '.join(each.types)}{more}")


def _launch(launch: Launch) -> Iterator[str]:
    """The offerings in the order of their prices, and which was taken."""
    if launch.chosen is None:
        yield f"Not launched: {node_wording.launch(launch)}"
    else:
        yield f"Launched: {node_wording.launch(launch)}"
    if not launch.options:
        return
    yield ""
    yield from _table(
        ("PRICE PER HOUR", "TYPE", "ZONE", "CAPACITY TYPE", ""),
        (
            (
                _price(each.price),
                each.instance_type,
                each.zone,
                each.capacity_type,
                _fate(each, launch),
            )
            for each in launch.options
        ),
    )
    if launch.count > len(launch.options):
        yield f"and {launch.count - len(launch.options):,} more"


def _fate(option: Option, launch: Launch) -> str:
    """What became of a way to have a machine."""
    if option == launch.chosen:
        return "taken"
    return "no capacity" if option in launch.refused else ""


def _history(explained: NodeExplanation) -> Iterator[str]:
    """What held of the node, whenever that became of another kind."""
    shown = explained.history[-_EARLIER:]
    left_out = len(explained.history) - len(shown)
    more = f" (the last {len(shown)} of {len(explained.history)})" if left_out else ""
    yield f"What removal came to, whenever it changed{more}:"
    yield ""
    rows = []
    for each in shown:
        deciding = each.deciding
        method = "" if deciding is None else deciding.method
        rows.append((_moment(explained, each.at_ns), method, node_wording.verdict(each)))
    yield from _table(("AT", "METHOD", "RESULT"), rows)


def _present(explained: NodeExplanation) -> Iterator[str]:
    """What holds at the moment that is explained."""
    at = wording.moment(explained.at_seconds)
    verdict = explained.verdict
    if verdict is None:
        if explained.node:
            yield f"At {at}: no autoscaler has looked at removing it."
        return
    word = "a candidate, but it stays" if verdict.candidate else "not a candidate for removal"
    yield f"At {at}: {word}"
    if verdict.worth is not None:
        worth = verdict.worth
        yield (
            f"  price {worth.price:.4g} per hour, disruption cost {worth.disruption_cost:.4g}, "
            f"savings ratio {worth.savings_ratio:.4g}"
        )
    yield ""
    yield from _table(("METHOD", "LOOKED AT", "RESULT"), _findings(explained, verdict))
    if explained.obstacles:
        yield ""
        yield f"In the way of its removal ({len(explained.obstacles)}):"
        for each in explained.obstacles:
            yield f"  {each}"


def _findings(explained: NodeExplanation, verdict: Verdict) -> Iterator[Sequence[str]]:
    for each in verdict.findings:
        yield each.method, _moment(explained, each.at_ns), each.shown


def _departure(explained: NodeExplanation) -> Iterator[str]:
    departure = explained.departure
    assert departure is not None
    yield f"It leaves from {_moment(explained, departure.at_ns)}: {departure.reason}"
    if departure.replacements:
        yield f"  replaced by: {', '.join(departure.replacements)}"
    if explained.removed_seconds is not None:
        yield f"  gone at {wording.moment(explained.removed_seconds)}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [line.rstrip() for line in text.align([head, *rows])]


def _price(price: float | None) -> str:
    return "" if price is None else f"{price:.4g}"


def _moment(explained: NodeExplanation, at_ns: int) -> str:
    return wording.moment(explained.seconds(at_ns))
