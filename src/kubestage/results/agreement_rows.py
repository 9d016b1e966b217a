"""The agreement of a replay in rows of text, as the terminal, the report and the page show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.wording import few, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.agreement import Agreement, Decisions, Disagreement, Miss


def figures(found: Agreement) -> Iterator[tuple[str, str, str]]:
    """What is compared, in the recording and in the replay."""
    yield "pods placed", f"{found.placements:,}", f"{found.replayed_placements:,}"
    yield "on the same node", "", f"{found.same_node:,}"
    before, after = found.pending_seconds
    yield "mean pending", f"{before:.2f}s", f"{after:.2f}s"
    yield "restarts", f"{found.restarts[0]:,}", f"{found.restarts[1]:,}"
    if any(found.autoscaler_steps):
        steps = found.autoscaler_steps
        yield "HPA steps", f"{steps[0]:,}", f"{steps[1]:,}"
        yield "the same from the first on", "", f"{found.same_autoscaler_steps:,}"
    yield "largest difference in nodes", "", f"{found.largest_node_difference:,}"


def shares(found: Decisions) -> Iterator[tuple[str, str, str]]:
    """Where recorded placements are among the nodes that the stage would take: share and count."""
    rows = [
        ("on the predicted node", found.same_node),
        ("on an equally good node", found.equally_good),
        ("on the best of a part of the nodes", found.possible),
        ("on a feasible node", found.feasible),
    ]
    if found.possible == found.equally_good:
        del rows[2]
    for name, count in rows:
        yield name, share(found.share(count)), f"{count:,}"


def share(value: float | None) -> str:
    """Such as 97.5%; a dash if there is none."""
    return "–" if value is None else f"{value:.1%}"


def scope(found: Decisions) -> str:
    """Which placements were predicted, in a sentence."""
    text = f"{plural(found.predicted, 'recorded placement')} predicted"
    if found.is_sample:
        text = f"A sample of {found.predicted:,} of {found.placements:,} placements predicted"
    parts = [f"{text}, each on the recorded state just before it"]
    if found.predicted:
        parts.append(f"{found.with_choice:,} had more than one node to choose from")
    parts += [f"left out: {count:,} {reason}" for reason, count in found.left_out.items()]
    return "; ".join(parts) + "."


def miss(each: Miss) -> str:
    """One disagreement in a line."""
    predicted = f"not {each.predicted}" if each.predicted else "where none fits"
    return f"{each.at} {each.pod} on {each.recorded}, {predicted}: {each.explanation}"


def elsewhere(each: Disagreement) -> str:
    """Pods of one workload that are on other nodes, in a line."""
    return f"{each.workload}: {nodes(each.recorded)} -> {nodes(each.replayed)}"


def nodes(counts: dict[str, int]) -> str:
    """Nodes, each with its number of pods if these are several."""
    if not counts:
        return "nowhere"
    return few(f"{node} ×{count}" if count > 1 else node for node, count in sorted(counts.items()))
