"""``junit.xml`` as ClusterLoader2 writes it by way of Ginkgo, with a true number of tests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.clusterloader.result import Outcome
from kubestage.golang import floats
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.clusterloader.result import LoadResult

SUITE: Final = "ClusterLoaderV2"
_HEADER: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SUITE_INDENT: Final = "  "
_CASE_INDENT: Final = _SUITE_INDENT + 4 * " "
_INNER_INDENT: Final = _CASE_INDENT + 4 * " "
# Ginkgo puts places in the code around a message; ClusterLoader2 names none.
_NO_PLACE: Final = ":0"
_ESCAPES: Final = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&#34;",
    "'": "&#39;",
    "\t": "&#x9;",
    "\n": "&#xA;",
    "\r": "&#xD;",
}
# The second part is what XML cannot hold at all.
_SPECIAL: Final = re.compile("[&<>\"'\t\n\r]|[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(results: Sequence[LoadResult]) -> str:
    """One suite: of each test the whole first, then every measurement and every step of phases."""
    cases = [case for result in results for case in _cases(result)]
    failures = sum(bool(each.errors) for each in cases)
    skips = sum(each.is_skipped for each in cases)
    took_ns = sum(result.took_ns for result in results)
    body = "".join(map(_case, cases))
    # NOTE: ClusterLoader2 never counts tests; a suite of none is taken for an empty one by CI.
    # It counts no skips either: they are left out where there are none.
    skipped = f' skipped="{skips}"' if skips else ""
    return (
        f'{_HEADER}{_SUITE_INDENT}<testsuite name="{SUITE}" tests="{len(cases)}" '
        f'failures="{failures}" errors="0"{skipped} time="{_milliseconds(took_ns)}">'
        f"{body}\n{_SUITE_INDENT}</testsuite>"
    )


class _Case(NamedTuple):
    """One case: the errors of it, or why it was skipped."""

    name: str
    took_ns: int
    errors: Sequence[str]
    skipped: str

    @property
    def is_skipped(self) -> bool:
        return bool(self.skipped) and not self.errors


def _cases(result: LoadResult) -> Iterator[_Case]:
    errors = list(result.errors)
    if result.is_interrupted:
        errors.append("interrupted")
    skipped = str(result.outcome) if result.outcome is Outcome.NOTHING_MEASURED else ""
    name = f"{result.test_name} overall ({result.path})"
    yield _Case(name, result.took_ns, errors, skipped)
    for step in result.steps:
        for each in step.substeps:
            name = f"{result.test_name}: {each.name}"
            yield _Case(name, each.took_ns, each.errors, each.skipped)


def _case(case: _Case) -> str:
    begin = (
        f'\n{_CASE_INDENT}<testcase name="{_escaped(case.name)}" classname="{SUITE}" '
        f'time="{floats.text(_seconds(case.took_ns))}">'
    )
    if case.errors:
        message = _escaped("\n".join((_NO_PLACE, f"[{chr(10).join(case.errors)}]", _NO_PLACE)))
        inner = f'<failure type="Failure">{message}</failure>'
    elif case.is_skipped:
        inner = f'<skipped message="{_escaped(case.skipped)}"></skipped>'
    else:
        return f"{begin}</testcase>"
    return f"{begin}\n{_INNER_INDENT}{inner}\n{_CASE_INDENT}</testcase>"


def _seconds(took_ns: int) -> float:
    """As Go divides: whole seconds, and the rest of them."""
    whole, rest = divmod(took_ns, SECOND_NS)
    return float(whole) + rest / 1e9


def _milliseconds(took_ns: int) -> str:
    return floats.text(int(_seconds(took_ns) * 1000) / 1000)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: _ESCAPES.get(found[0], "\ufffd"), text)
