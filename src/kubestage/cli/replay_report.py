"""What ``kubestage replay`` prints of the agreement between recording and replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.objects.tables.text import align
from kubestage.results import agreement_rows
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.runs.replaying.result import ReplayResult


def text(result: ReplayResult) -> str:
    """The agreement first: of single decisions, then of the whole replay, and what differs most."""
    lines = [f"{result.headline()}.", _origin(result)]
    if result.agreement.same_node_share is None:
        return "\n".join(lines) + "\n\n"
    if result.baseline is not None:
        share = agreement_rows.share(result.baseline.same_node_share)
        lines.append(f"Agreement under the recorded settings: {share} on the same node.")
    lines += _decisions(result)
    heading = ("", "RECORDED", "REPLAYED")
    rows = agreement_rows.figures(result.agreement)
    lines += ["", *(line.rstrip() for line in align([heading, *rows]))]
    if result.agreement.disagreements:
        lines += ["", "On other nodes:"]
        lines += [f"  {agreement_rows.elsewhere(each)}" for each in result.agreement.disagreements]
    return "\n".join(lines) + "\n\n"


def document(result: ReplayResult) -> str:
    """The same as JSON."""
    decisions = result.decisions
    found = {
        "recording": result.summary.recording,
        "from": result.summary.begin,
        "to": result.summary.end,
        "actions": result.actions,
        "consequences": result.consequences,
        "isWhatIf": result.is_what_if,
        "agreement": msgspec.to_builtins(result.agreement),
        "sameNodeShare": result.agreement.same_node_share,
        "baseline": msgspec.to_builtins(result.baseline),
        "decisions": msgspec.to_builtins(decisions),
        "equallyGoodShare": None if decisions is None else decisions.share(decisions.equally_good),
        "notes": list(result.run.notes),
    }
    return msgspec.json.format(msgspec.json.encode(found)).decode() + "\n"


def _origin(result: ReplayResult) -> str:
    left = plural(result.consequences, "recorded change")
    kind = "other settings" if result.is_what_if else "the recorded settings"
    summary = result.summary
    return f"{summary.begin} to {summary.end}, {kind}; {left} left to controllers."


def _decisions(result: ReplayResult) -> Iterator[str]:
    found = result.decisions
    if found is None:
        return
    yield ""
    yield agreement_rows.scope(found)
    if not found.predicted:
        return
    rows = agreement_rows.shares(found)
    yield from (line.rstrip() for line in align([("", "SHARE", "PODS"), *rows]))
    if found.misses:
        yield "Not explained by ties, the first and the largest:"
        yield from (f"  {agreement_rows.miss(each)}" for each in found.misses)
