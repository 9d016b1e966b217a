"""The one place where errors become text on stderr and an exit code; no traceback is shown.

Exit codes: 0 is success, 1 a negative result (a pod stays pending, a decision differs), 2 bad input
or a refused request, 130 an interrupt (Ctrl-C), 141 a closed pipe.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import sys
import traceback
from typing import TYPE_CHECKING, Final

import typer

from kubestage.cli import interruption, screen
from kubestage.errors import ApiError, InputError, KubestageError

if TYPE_CHECKING:
    from collections.abc import Callable

NEGATIVE_RESULT: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141
UNEXPECTED: Final = "unexpected error"
_NO_COMMAND: Final = "no command is named"
SHOW_TRACEBACK: Final = "KUBESTAGE_TRACEBACK"
"""The variable that shows the traceback of an unexpected error."""


def guard(command: Callable[[list[str]], int], arguments: list[str]) -> int:
    """The exit code of a command; errors are printed to stderr."""
    try:
        code = command(arguments)
        sys.stdout.flush()
    except (KeyboardInterrupt, interruption.Interrupted, typer.Abort) as error:
        # The reader of the output may have been interrupted by the same key.
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            screen.note(interruption.line(error))
        return INTERRUPTED
    except SystemExit as exiting:
        # The parser of the command line turns a closed pipe into 1, which has another meaning.
        if isinstance(exiting.__context__, BrokenPipeError):
            return PIPE_CLOSED
        raise
    except BrokenPipeError:
        # Python would flush once more when it exits, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except (KubestageError, OSError, typer.TyperException) as error:
        print_error(*explain(error))
        return BAD_INPUT
    except MemoryError:
        print_error("there is not enough memory for this", "make the input smaller")
        return BAD_INPUT
    except Exception as error:
        if interruption.is_wrapped(error):
            screen.note(interruption.line(error))
            return INTERRUPTED
        if os.environ.get(SHOW_TRACEBACK):
            raise
        print_error(*_fault(error))
        return BAD_INPUT
    return code


def _fault(error: Exception) -> tuple[str, str]:
    """An error that was not expected, in one line: what, and where in the program."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {pathlib.Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    problem = f"{UNEXPECTED}: {type(error).__name__}: {str(error)[:200]}{place}"
    return problem, f"this is a fault of kubestage: report it, with {SHOW_TRACEBACK}=1 in detail"


def explain(error: Exception) -> tuple[str, str | None]:
    """What is wrong, and the fix if it is known."""
    if isinstance(error, InputError):
        where = ":".join(str(part) for part in (error.file, error.line) if part is not None)
        says_path = error.path is not None and error.problem.startswith(f"{error.path} ")
        parts = [where, None if says_path else error.path, error.problem]
        return ": ".join(part for part in parts if part), error.fix
    if isinstance(error, ApiError):
        return error.message, None
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{(error.strerror or str(error)).lower()}", None
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "kubestage"
        return error.format_message().strip().rstrip(".") or _NO_COMMAND, f"see `{command} --help`"
    return str(error), None


def print_error(problem: str, fix: str | None = None) -> None:
    """Print a problem and its fix to stderr; red where there is a terminal."""
    typer.secho("Error:", fg=typer.colors.RED, bold=True, err=True, nl=False)
    screen.note(f" {problem}")
    if fix:
        screen.note(f"  fix: {fix}")
