"""Results of Kubernetes' end-to-end suite: reading reports, reasons, and the table of the docs."""

from __future__ import annotations

import json
import pathlib
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

REASONS: Final = pathlib.Path(__file__).parent / "conformance_reasons.yaml"
BEGIN: Final = "<!-- table of the suite {}: written by tools/conformance_suite.py -->"
END: Final = "<!-- end of the table -->"
PASSED: Final = "passed"
_SIG: Final = re.compile(r"\[sig-([a-z-]+)\]")


class SpecResult(NamedTuple):
    """One spec of the suite in one run."""

    name: str
    state: str
    seconds: float
    message: str = ""


class Reason(NamedTuple):
    """Why specs do not pass, and which ones: those that a regular expression finds."""

    title: str
    pattern: re.Pattern[str]
    paces: tuple[str, ...] = ()
    """Where it is so; everywhere if none is stated."""
    sometimes: bool = False
    """Whether these specs may also pass."""


def read_report(path: pathlib.Path) -> list[SpecResult]:
    """The specs of a JSON report of Ginkgo, but those that were left out."""
    reports: list[dict[str, Any]] = json.loads(path.read_text())
    found = []
    for spec in (each for report in reports for each in report["SpecReports"]):
        if spec["LeafNodeType"] != "It" or spec["State"] in ("skipped", "pending"):
            continue
        parts = [*(spec["ContainerHierarchyTexts"] or ()), spec["LeafNodeText"]]
        message = (spec.get("Failure") or {}).get("Message", "")
        seconds = spec["RunTime"] / 1e9
        found.append(SpecResult(" ".join(parts), spec["State"], seconds, message))
    return found


def save(results: Sequence[SpecResult], path: pathlib.Path) -> None:
    """Write results, one a line."""
    lines = (json.dumps(each._asdict()) for each in results)
    path.write_text("".join(f"{line}\n" for line in lines))


def load_reasons(path: pathlib.Path = REASONS) -> list[Reason]:
    """The reasons, in the order of the file: the first that finds a name counts."""
    read: list[dict[str, Any]] = yaml.safe_load(path.read_text()) or []
    return [
        Reason(
            entry["reason"],
            re.compile("|".join(f"(?:{each})" for each in entry["specs"])),
            tuple(entry.get("paces") or ()),
            bool(entry.get("sometimes")),
        )
        for entry in read
    ]


def reason_of(name: str, reasons: Iterable[Reason], pace: str = "") -> Reason | None:
    """Why a spec does not pass, in one pace or in any."""
    for each in reasons:
        is_there = not pace or not each.paces or pace in each.paces
        if is_there and each.pattern.search(name):
            return each
    return None


def unexplained(
    results: Mapping[str, Sequence[SpecResult]], reasons: Sequence[Reason]
) -> list[str]:
    """A line for each spec that fails without a reason, or passes with one."""
    lines = []
    for pace, found in results.items():
        for each in found:
            reason = reason_of(each.name, reasons, pace)
            if each.state == PASSED and reason is not None and not reason.sometimes:
                lines.append(f"{pace}: passes though it has a reason not to: {each.name}")
            elif each.state != PASSED and reason is None:
                message = " ".join(each.message.split())[:160]
                lines.append(f"{pace}: {each.state}: {each.name}: {message}")
    return lines


def sig_of(name: str) -> str:
    """The special interest group whose spec it is."""
    found = _SIG.search(name)
    return found[1] if found else "other"


def table(results: Mapping[str, Sequence[SpecResult]], reasons: Sequence[Reason]) -> str:
    """The Markdown: how many pass by group and pace, then all others by reason."""
    paces = list(results)
    names = sorted({each.name for found in results.values() for each in found})
    passing = {
        pace: {each.name for each in found if each.state == PASSED}
        for pace, found in results.items()
    }
    totals = Counter(sig_of(name) for name in names)
    heads = "".join(f" {pace} |" for pace in paces)
    lines = [f"| Group | specs |{heads}", "|---|---|" + "---|" * len(paces)]
    for sig in sorted(totals):
        counts = "".join(
            f" {sum(sig_of(name) == sig for name in passing[pace])} |" for pace in paces
        )
        lines.append(f"| {sig} | {totals[sig]} |{counts}")
    sums = "".join(f" **{len(passing[pace])}** |" for pace in paces)
    lines.append(f"| **all** | **{len(names)}** |{sums}")
    everywhere = set.intersection(*passing.values()) if passing else set()
    rest = [name for name in names if name not in everywhere]
    return "\n".join([*lines, "", *_listed(rest, passing, reasons)])


def _listed(
    names: Sequence[str], passing: Mapping[str, set[str]], reasons: Sequence[Reason]
) -> list[str]:
    """What does not pass in every pace, below its reason."""
    by_reason: dict[str, list[str]] = {}
    for name in names:
        found = reason_of(name, reasons)
        reason = "Not explained yet" if found is None else found.title
        where = [pace for pace, names_there in passing.items() if name in names_there]
        note = f" (passes in the pace {', '.join(where)})" if where else ""
        by_reason.setdefault(reason, []).append(f"- {_plain(name)}{note}")
    lines: list[str] = []
    order = [each.title for each in reasons]
    for reason in sorted(by_reason, key=lambda each: order.index(each) if each in order else -1):
        lines_there = by_reason[reason]
        lines += [f'??? note "{reason} ({len(lines_there)})"', ""]
        lines += [f"    {line}" for line in lines_there] + [""]
    return lines


def _plain(name: str) -> str:
    """A name without the labels that all have, fit for Markdown."""
    text = name.replace(" [Conformance]", "").replace(" [NodeConformance]", "")
    return re.sub(r"([\[\]*_<>`])", r"\\\1", text)


def write(
    results: Mapping[str, Sequence[SpecResult]],
    reasons: Sequence[Reason],
    page: pathlib.Path,
    suite: str,
) -> None:
    """Replace the table of a suite on a page."""
    text, begin = page.read_text(), BEGIN.format(suite)
    before, found, rest = text.partition(begin)
    if not found or END not in rest:
        raise SystemExit(f"{page}: has no place for the table: {begin} ... {END}")
    after = rest.partition(END)[2]
    page.write_text(f"{before}{begin}\n\n{table(results, reasons)}\n{END}{after}")
