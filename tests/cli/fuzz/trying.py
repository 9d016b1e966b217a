"""One case after another: a file is mutated, a command reads it, and what came of it is judged."""

from __future__ import annotations

import collections
import contextlib
import io
import os
import random
import signal
import sys
import traceback
from typing import TYPE_CHECKING, NamedTuple

from kubestage.cli import app, failures
from tests.cli.fuzz import mutations

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator, Sequence

    from tests.cli.fuzz.corpus import Entry

CODES = (0, 1, 2)
ENDED: collections.Counter[int] = collections.Counter()
"""How many commands ended with each exit code."""


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
        if os.environ.get("FUZZ_LOG"):
            print(number, entry.name, file, flush=True, file=sys.__stderr__)
        try:
            problem = attempt(entry, limit_s)
        finally:
            path.write_bytes(whole)
        if problem is not None:
            yield Finding(number, entry, file, data, problem)


def attempt(entry: Entry, limit_s: float) -> str | None:
    """What is wrong about the end of a command; None if nothing is."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    before = os.getcwd()
    os.chdir(entry.folder)
    os.environ[failures.SHOW_TRACEBACK] = "1"
    signal.signal(signal.SIGPROF, _overrun)
    signal.setitimer(signal.ITIMER_PROF, limit_s, 1)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = failures.guard(app.run, list(entry.arguments))
    except Overran:
        return "no end: " + "".join(traceback.format_exc()[-1800:])
    except MemoryError:
        return "no memory: " + "".join(traceback.format_exc()[-1800:])
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        return "traceback: " + "".join(traceback.format_exc()[-1800:])
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        os.chdir(before)
    out.flush()
    err.flush()
    ENDED[code] += 1
    text = out.buffer.getvalue() + err.buffer.getvalue()  # type: ignore[attr-defined]
    return judged(code, text.decode(errors="replace"), is_raw=entry.is_raw)


def judged(code: int, text: str, *, is_raw: bool = False) -> str | None:
    """What the rule says of an exit code and all that was printed."""
    if code not in CODES:
        return f"exit code {code}"
    if failures.UNEXPECTED in text:
        return f"printed an unexpected error: {text[-1500:]}"
    if "Traceback (most recent call last)" in text:
        return f"printed a traceback: {text[-1500:]}"
    control = {each for each in text if ord(each) < 32 or 127 <= ord(each) < 160} - {"\n", "\t"}
    is_unsafe = bool(control) and not is_raw
    return f"printed control characters {sorted(control)}" if is_unsafe else None


def _overrun(*_: object) -> None:
    raise Overran
