"""One case after another: a file is mutated, a command reads it, and what came of it is judged."""

from __future__ import annotations

import collections
import contextlib
import io
import os
import random
import resource
import signal
import traceback
from typing import TYPE_CHECKING, NamedTuple

from kubestage.cli import app, failures
from tests.cli.fuzz import mutations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.cli.fuzz.corpus import Entry

CODES = (0, 1, 2)
ENDED: collections.Counter[int] = collections.Counter()
"""How many commands ended with each exit code."""

_MOST_KIB = 2**20
_SHOWN = 1800


class Overran(BaseException):
    """A command that does not come to its end."""


class Finding(NamedTuple):
    """A case that breaks the rule."""

    number: int
    entry: Entry
    file: str
    data: bytes
    problem: str


def cases(entries: Sequence[Entry], seed: int, numbers: range, limit_s: float) -> Iterator[Finding]:
    """Try these cases and yield those that break the rule."""
    weights = [each.share for each in entries]
    for number in numbers:
        stream = random.Random(f"{seed}/{number}")
        (entry,) = stream.choices(entries, weights)
        file = stream.choice(entry.mutated)
        path = entry.folder / file
        whole = path.read_bytes()
        change = mutations.in_bytes if stream.random() < 0.4 else mutations.in_values
        data = change(whole, stream)
        path.write_bytes(data)
        try:
            problem = attempt(entry, limit_s)
        finally:
            path.write_bytes(whole)
        if problem is not None:
            yield Finding(number, entry, file, data, problem)


def attempt(entry: Entry, limit_s: float) -> str | None:
    """What is wrong about the end of a command; None if nothing is."""
    printed = io.BytesIO()
    out = io.TextIOWrapper(printed, "utf-8", write_through=True)
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with _surroundings(entry, limit_s):
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                code = failures.guard(app.run, list(entry.arguments))
        except Overran:
            return f"no end: {traceback.format_exc()[-_SHOWN:]}"
        except Exception:  # noqa: BLE001 - every one is a finding
            return f"traceback: {traceback.format_exc()[-_SHOWN:]}"
    ENDED[code] += 1
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib
    if grown_kib > _MOST_KIB:
        return f"took {grown_kib // 1024} MiB"
    return judged(code, printed.getvalue().decode(errors="replace"), is_raw=entry.is_raw)


def judged(code: int, text: str, *, is_raw: bool = False) -> str | None:
    """What the rule says of an exit code and all that was printed."""
    if code not in CODES:
        return f"exit code {code}"
    for sign in ("Traceback (most recent call last)", failures.UNEXPECTED):
        if sign in text:
            return f"printed {sign}: {text[-_SHOWN:]}"
    control = {each for each in text if ord(each) < 32 or 127 <= ord(each) < 160} - {"\n", "\t"}
    is_unsafe = bool(control) and not is_raw
    return f"printed control characters {sorted(control)}" if is_unsafe else None


@contextlib.contextmanager
def _surroundings(entry: Entry, limit_s: float) -> Iterator[None]:
    """The folder of an entry, tracebacks of the unexpected, and an end for what has none."""
    before, shows = os.getcwd(), os.environ.get(failures.SHOW_TRACEBACK)
    handler = signal.signal(signal.SIGPROF, _overrun)
    os.chdir(entry.folder)
    os.environ[failures.SHOW_TRACEBACK] = "1"
    # What is interrupted once may go on to tidy up.
    signal.setitimer(signal.ITIMER_PROF, limit_s, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        os.chdir(before)
        if shows is None:
            del os.environ[failures.SHOW_TRACEBACK]


def _overrun(*_: object) -> None:
    raise Overran
