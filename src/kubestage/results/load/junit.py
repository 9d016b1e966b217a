"""``junit.xml`` as ClusterLoader2 writes it by way of Ginkgo, with a true number of tests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.golang import floats
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.clusterloader.result import LoadResult

SUITE: Final = "ClusterLoaderV2"
_HEADER: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SUITE_INDENT: Final = "  "
_CASE_INDENT: Final = _SUITE_INDENT + 4 * " "
_FAILURE_INDENT: Final = _CASE_INDENT + 4 * " "
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
    failures = sum(bool(errors) for _, _, errors in cases)
    took_ns = sum(result.took_ns for result in results)
    body = "".join(_case(*case) for case in cases)
    # NOTE: ClusterLoader2 never counts tests; a suite of none is taken for an empty one by CI.
    return (
        f'{_HEADER}{_SUITE_INDENT}<testsuite name="{SUITE}" tests="{len(cases)}" '
        f'failures="{failures}" errors="0" time="{_milliseconds(took_ns)}">'
        f"{body}\n{_SUITE_INDENT}</testsuite>"
    )


def _cases(result: LoadResult) -> Iterator[tuple[str, int, Sequence[str]]]:
    """Name, time and errors of each."""
    errors = list(result.errors)
    if result.is_interrupted:
        errors.append("interrupted")
    yield f"{result.test_name} overall ({result.path})", result.took_ns, errors
    for step in result.steps:
        for substep in step.substeps:
            yield f"{result.test_name}: {substep.name}", substep.took_ns, substep.errors


def _case(name: str, took_ns: int, errors: Sequence[str]) -> str:
    begin = (
        f'\n{_CASE_INDENT}<testcase name="{_escaped(name)}" classname="{SUITE}" '
        f'time="{floats.text(_seconds(took_ns))}">'
    )
    if not errors:
        return f"{begin}</testcase>"
    message = _escaped("\n".join((_NO_PLACE, f"[{chr(10).join(errors)}]", _NO_PLACE)))
    failure = f'\n{_FAILURE_INDENT}<failure type="Failure">{message}</failure>'
    return f"{begin}{failure}\n{_CASE_INDENT}</testcase>"


def _seconds(took_ns: int) -> float:
    """As Go divides: whole seconds, and the rest of them."""
    whole, rest = divmod(took_ns, SECOND_NS)
    return float(whole) + rest / 1e9


def _milliseconds(took_ns: int) -> str:
    return floats.text(int(_seconds(took_ns) * 1000) / 1000)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: _ESCAPES.get(found[0], "\ufffd"), text)
